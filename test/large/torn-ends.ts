import { appendFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { seededRandom } from '@varve/testkit';
import type { LargeJournal } from './large-journal.ts';
import { type JobEnd, runJob } from './run-job.ts';

/** A journal with something behind its end, and how it is woken. */
export interface TornEnd {
  readonly what: string;
  /** Bytes behind the end. */
  readonly bytes: number;
  readonly end: JobEnd;
  /** Whether the file ends where it did before, and what was behind it is kept. */
  readonly isMended: boolean;
}

const megabyte = 1_048_576;
const lineFeed = 10;

/** Puts something behind the end of a journal, wakes it, and looks what became of it; one after the other. */
export async function measureTornEnds(worker: string, journal: LargeJournal): Promise<readonly TornEnd[]> {
  const random = seededRandom(1);
  const noise = Buffer.from(
    Uint8Array.from({ length: 8 * megabyte }, () => random.integer(0, 255)).map((byte) =>
      byte === lineFeed ? 0 : byte,
    ),
  );
  const behind: readonly (readonly [what: string, bytes: Buffer])[] = [
    ['half of a line', Buffer.from(`{"v":1,"id":"${'x'.repeat(3_000)}`)],
    ['half of a line of 8 MB', Buffer.concat([Buffer.from('{"v":1,"id":"'), Buffer.alloc(8 * megabyte, 'x')])],
    ['8 MB of noise', noise],
    ['32 MB of zeros', Buffer.alloc(32 * megabyte)],
  ];
  const torn: TornEnd[] = [];
  for (const [what, bytes] of behind) torn.push(await wakeTorn(worker, journal, { what, bytes }));
  return torn;
}

async function wakeTorn(
  worker: string,
  journal: LargeJournal,
  { what, bytes }: { readonly what: string; readonly bytes: Buffer },
): Promise<TornEnd> {
  const { file } = journal;
  const quarantine = `${file}.quarantine`;
  rmSync(quarantine, { force: true });
  const { size } = statSync(file);
  appendFileSync(file, bytes);
  const end = await runJob(worker, { task: 'wake', journal });
  const isKept = (statSync(quarantine, { throwIfNoEntry: false })?.size ?? 0) >= bytes.length;
  const isMended = statSync(file).size === size && isKept;
  truncateSync(file, size);
  rmSync(quarantine, { force: true });
  return { what, bytes: bytes.length, end, isMended };
}
