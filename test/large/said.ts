import type { LargeJournal } from './large-journal.ts';

/** What a process is asked to do with a large journal, and nothing else. */
export const largeTasks = [
  'open',
  'wake',
  'list',
  'show',
  'tail',
  'get-seqs',
  'get-ids',
  'search',
  'search-words',
  'stream',
  'export',
  'doctor',
] as const;

/** One of them. */
export type LargeTask = (typeof largeTasks)[number];

/** A task with its journal. */
export interface LargeJob {
  readonly task: LargeTask;
  readonly journal: LargeJournal;
  /** How often it is done, each time with a store of its own. @default once */
  readonly times?: number;
}

/** What a process says when it is done. */
export interface LargeSaid {
  /** What was found, in words. */
  readonly found: string;
  /** What is wrong with that; none when all is well. */
  readonly faults: readonly string[];
  /** How long each time took, and the time of the processor that it took. */
  readonly ms: readonly number[];
  readonly cpuMs: readonly number[];
  /** Bytes that were read from the journal the first time, and how often. */
  readonly bytesRead: number;
  readonly reads: number;
  /** In bytes: before the task, and the most while it ran. */
  readonly baseRss: number;
  readonly peakRss: number;
  readonly peakHeap: number;
}
