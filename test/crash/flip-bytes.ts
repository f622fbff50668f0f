import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { createHost, type Entry, type Store } from '@varve/core';
import { jsonlStore } from '@varve/stores/jsonl';
import { type Random, seededRandom } from '@varve/testkit';
import { openPatiently } from './open-patiently.ts';
import type { Fault } from './oracle/fault.ts';
import { readEntryLine, readJournalFile } from './oracle/read-journal-file.ts';
import { sessionId } from './said.ts';

/** What became of journals in which one byte is another. */
export interface FlipResult {
  readonly flips: number;
  /** How many of them came out otherwise than they must. */
  readonly failed: number;
  readonly faults: readonly Fault[];
  /** How many of them lost an entry. */
  readonly lossy: number;
}

/** None were tried. */
export const noFlips: FlipResult = { flips: 0, failed: 0, faults: [], lossy: 0 };

/** Where the digits of a checksum are, counted from the end of the line. */
const checksum = { start: 10, end: 2 } as const;

/** Bytes at the end of a line that are alike in all lines. */
const endLength = 28;

/** One byte that is changed, and the entries of the line that it is in. */
interface Flip {
  readonly offset: number;
  readonly mask: number;
  readonly mayLose: ReadonlySet<string>;
  /** True when the checksum is the same number, written otherwise: what it covers is whole, and nobody need be told. */
  readonly isSameNumber: boolean;
}

/** Changes single bytes of a journal, each in a copy of it, and opens the copy. */
export async function flipBytes(
  files: { readonly root: string; readonly journal: string },
  { folder, count, seed }: { readonly folder: string; readonly count: number; readonly seed: number },
): Promise<FlipResult> {
  await close(files.root);
  const bytes = readFileSync(files.journal);
  const texts = new Set(readJournalFile(bytes, sessionId).entries.map(({ text }) => text));
  const random = seededRandom(seed);
  const root = join(folder, 'flipped');
  const journal = join(root, relative(files.root, files.journal));
  const faults: Fault[] = [];
  let lossy = 0;
  let failed = 0;
  for (let flips = 0; flips < count; flips += 1) {
    const flip = flipAt(bytes, { offset: drawnOffset(bytes, random), mask: 1 << random.integer(0, 7) });
    const changed = Buffer.from(bytes);
    changed[flip.offset] = (bytes[flip.offset] ?? 0) ^ flip.mask;
    rmSync(root, { recursive: true, force: true });
    mkdirSync(dirname(journal), { recursive: true });
    writeFileSync(journal, changed);
    const { problems, isLossy } = await tryFlipped(root, { texts, flip });
    if (isLossy) lossy += 1;
    if (problems.length > 0) failed += 1;
    const where = `byte ${flip.offset} with ${flip.mask}`;
    faults.push(...problems.map((text): Fault => ({ rule: 'bad-line', text: `${where}: ${text}` })));
  }
  rmSync(root, { recursive: true, force: true });
  return { flips: count, failed, faults, lossy };
}

/** The last worker may have been killed: opening and closing brings the journal in order. */
async function close(root: string): Promise<void> {
  const store = jsonlStore({ root });
  const create = { v: 1, sessionId, createdAt: 0 } as const;
  const { opened } = await openPatiently(() => store.open(sessionId, { create }));
  await opened.close();
  await store[Symbol.asyncDispose]();
}

/** Any byte; as often one at the end of a line, where checksum and line feed are, or one of the first or last line. */
function drawnOffset(bytes: Buffer, random: Random): number {
  const any = random.integer(0, bytes.length - 1);
  switch (random.pick(['any', 'any', 'end', 'first', 'last'])) {
    case 'end':
      return bytes.indexOf(10, any) - random.integer(0, endLength);
    case 'first':
      return random.integer(0, bytes.indexOf(10));
    case 'last':
      return random.integer(bytes.lastIndexOf(10, bytes.length - 2) + 1, bytes.length - 1);
    default:
      return any;
  }
}

function flipAt(bytes: Buffer, { offset, mask }: { readonly offset: number; readonly mask: number }): Flip {
  const start = offset === 0 ? 0 : bytes.lastIndexOf(10, offset - 1) + 1;
  const end = bytes.indexOf(10, offset);
  const entry = readEntryLine(bytes.subarray(start, end));
  const isInChecksum = offset >= end - checksum.start && offset < end - checksum.end;
  const flipped = Buffer.from(bytes.subarray(end - checksum.start, end - checksum.end));
  const before = Number.parseInt(flipped.toString('latin1'), 16);
  if (isInChecksum) flipped[offset - end + checksum.start] = (bytes[offset] ?? 0) ^ mask;
  const isSameNumber = isInChecksum && Number.parseInt(flipped.toString('latin1'), 16) === before;
  return { offset, mask, mayLose: new Set(entry === null ? [] : [entry.text]), isSameNumber };
}

/** Opens a store with one wrong byte in every way, and says what was not as it must be. */
async function tryFlipped(
  root: string,
  { texts, flip }: { readonly texts: ReadonlySet<string>; readonly flip: Flip },
): Promise<{ readonly problems: readonly string[]; readonly isLossy: boolean }> {
  const repairs: string[] = [];
  const store = jsonlStore({
    root,
    durability: 'os',
    // The copy has no index: that one is missing says nothing of the journal.
    onRepair: ({ kind, sessionId: of }) => void (of === null || repairs.push(kind)),
  });
  try {
    const entries = await readAll(store);
    const read = new Set(entries.map((entry) => JSON.stringify(entry)));
    const lost = [...texts].filter((text) => !read.has(text));
    const problems = [
      ...lost.filter((text) => !flip.mayLose.has(text)).map((text) => `lost ${text}`),
      ...[...read].filter((text) => !texts.has(text)).map((text) => `made up ${text}`),
      ...(read.size < entries.length ? ['an entry is read twice'] : []),
    ];
    await goOn(store);
    if (repairs.length === 0 && !flip.isSameNumber) problems.push('nobody was told of it');
    return { problems, isLossy: lost.length > 0 };
  } catch (error) {
    return { problems: [`threw ${error instanceof Error ? error.stack : error}`], isLossy: false };
  } finally {
    await store[Symbol.asyncDispose]();
  }
}

async function readAll(store: Store): Promise<readonly Entry[]> {
  const journal = await store.open(sessionId, { readOnly: true });
  const entries: Entry[] = [];
  for await (const entry of journal.read()) entries.push(entry);
  await journal.tail();
  await journal.get(entries.slice(-3).flatMap(({ id, seq }) => [id, seq]));
  await journal.close();
  return entries;
}

/** The conversation goes on, and what is said is there when it is opened again. */
async function goOn(store: Store): Promise<void> {
  const host = await createHost({ store, budget: { inputTokens: null } });
  const session = await host.open(sessionId);
  await session.assemble({ model: { provider: 'test', model: 'test-1' } });
  const { id } = await session.ingest({ role: 'user', content: 'Are you still there?' });
  await session.assemble({ model: { provider: 'test', model: 'test-1' } });
  await host.close();
  const entries = await readAll(store);
  if (!entries.some((entry) => entry.id === id)) throw new Error('a message that was ingested later is not there');
}
