import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { LargeJournal } from './large-journal.ts';
import { type JobEnd, runJob } from './run-job.ts';
import { writeLargeJournal } from './write-journal.ts';

/** How a journal of some length is woken. */
export interface WakeUps {
  readonly entries: number;
  readonly journal: LargeJournal;
  /** A process each. */
  readonly ends: readonly JobEnd[];
}

/** Processes that wake each journal, and wake-ups in each: the first one also loads the code that it takes. */
const processes = 7;
const times = 8;

/** Wakes journals of these lengths in turn, each time with a store of its own. Their ends are alike. */
export async function measureWakeUps(
  worker: string,
  options: { readonly folder: string; readonly seed: number; readonly lengths: readonly number[] },
): Promise<readonly WakeUps[]> {
  const { folder, seed, lengths } = options;
  const journals: LargeJournal[] = [];
  for (const entries of lengths) {
    const root = join(folder, `wake-${entries}`);
    const size = { bytes: Number.POSITIVE_INFINITY, entries, meanResult: 1_500, longLineEvery: 0, behind: 250 };
    journals.push(await writeLargeJournal({ root, sessionId: 'large', seed, ...size }));
  }
  const ends = journals.map((): JobEnd[] => []);
  for (let round = 0; round < processes; round += 1) {
    for (const [index, journal] of journals.entries()) {
      ends[index]?.push(await runJob(worker, { task: 'wake', journal, times }));
    }
  }
  for (const { root } of journals) rmSync(root, { recursive: true });
  return journals.map((journal, index) => ({ entries: lengths[index] ?? 0, journal, ends: ends[index] ?? [] }));
}

/** What the wake-ups of one journal come to: medians. */
export function wakeUpFigures({ ends }: WakeUps): {
  /** The first in a process, and those behind it, in milliseconds; and the time of the processor that those took. */
  readonly firstMs: number;
  readonly laterMs: number;
  readonly laterCpuMs: number;
  readonly bytesRead: number;
  /** What the process needed more than before its first one. */
  readonly moreRss: number;
} {
  const said = ends.flatMap((end) => end.said ?? []);
  return {
    firstMs: median(said.map(({ ms }) => ms[0] ?? 0)),
    laterMs: median(said.flatMap(({ ms }) => ms.slice(1))),
    laterCpuMs: median(said.flatMap(({ cpuMs }) => cpuMs.slice(1))),
    bytesRead: median(said.map(({ bytesRead }) => bytesRead)),
    moreRss: median(said.map(({ peakRss, baseRss }) => peakRss - baseRss)),
  };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
