import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildLargeWorker } from './build-large-worker.ts';
import type { LargeJournal } from './large-journal.ts';
import { type JobEnd, runJob } from './run-job.ts';
import { type LargeTask, largeTasks } from './said.ts';
import { measureTornEnds, type TornEnd } from './torn-ends.ts';
import { measureWakeUps, type WakeUps } from './wake-ups.ts';
import { writeLargeJournal } from './write-journal.ts';

/** How large, and what of it. */
export interface LargeOptions {
  readonly seed: number;
  /** Of the journal that everything is done with. */
  readonly bytes: number;
  /** Entries of the journals that are woken; none to leave that out. */
  readonly lengths: readonly number[];
  readonly tasks?: readonly LargeTask[];
  /** Whether its end is broken, too. @default true */
  readonly tears?: boolean;
  /** Told what is being done. */
  readonly onProgress?: (doing: string) => void;
}

/** What came of it. */
export interface LargeResult {
  readonly journal: LargeJournal;
  readonly tasks: readonly JobEnd[];
  readonly torn: readonly TornEnd[];
  readonly wakeUps: readonly WakeUps[];
}

/** In so many bytes, a line of 1 to 10 MB. */
const longLineEvery = 26_214_400;

/** Makes journals in a folder of their own, does everything with them in processes with a small heap, and removes them. */
export async function runLarge(options: LargeOptions): Promise<LargeResult> {
  const { seed, bytes, lengths, tasks = largeTasks, tears = true, onProgress = () => {} } = options;
  const folder = mkdtempSync(join(tmpdir(), 'varve-large-'));
  const worker = await buildLargeWorker();
  try {
    onProgress('writing the journal');
    const size = { bytes, entries: Number.POSITIVE_INFINITY, meanResult: 3_000, longLineEvery, behind: 250 };
    const journal = await writeLargeJournal({ root: join(folder, 'store'), sessionId: 'large', seed, ...size });
    const ends: JobEnd[] = [];
    for (const task of tasks) {
      onProgress(task);
      ends.push(await runJob(worker.file, { task, journal }));
      rmSync(join(folder, 'store', 'exported.json'), { force: true });
    }
    if (tears) onProgress('torn ends');
    const torn = tears ? await measureTornEnds(worker.file, journal) : [];
    rmSync(join(folder, 'store'), { recursive: true });
    if (lengths.length > 0) onProgress('wake-ups');
    const wakeUps = await measureWakeUps(worker.file, { folder, seed, lengths });
    return { journal, tasks: ends, torn, wakeUps };
  } finally {
    worker.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}
