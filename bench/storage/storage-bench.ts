import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { InterleaveOptions } from '../interleave.ts';
import { type History, type HistoryOptions, makeHistory } from './data/histories.ts';
import type { WorkloadResult } from './storage-row.ts';

/** One of the workloads. */
export interface Workload {
  /** `B1` and so on. */
  readonly id: string;
  readonly title: string;
  run(bench: StorageBench): Promise<WorkloadResult>;
}

/** What is measured, and how long. */
export interface StorageBenchOptions {
  /** Smaller, for a look: figures are not to be quoted. */
  readonly isQuick: boolean;
  /** A million entries, too. */
  readonly isLarge: boolean;
}

/** What workloads share. */
export interface StorageBench extends StorageBenchOptions {
  /** How often contenders are measured. */
  readonly often: InterleaveOptions;
  /** A new folder. */
  folder(name: string): string;
  /** A history of so many entries, made once; nobody changes it. */
  history(entries: number): Promise<History>;
  /** Says how far it is. */
  say(text: string): void;
  /** Collects rubbish, so that nobody pays for somebody else's. */
  collect(): void;
  /** Removes all folders. */
  end(): void;
}

/** Messages after the compaction of a history, and those that it keeps. */
const compaction = { before: 200, kept: 40 } as const;
const largeCompaction = { before: 300, kept: 40 } as const;

/** From so many entries on, tools answer with 500 characters in the mean, so that a million are not more than 1 GB. */
const manyEntries = 500_000;

/** Begins: everything is in one new folder. */
export function createStorageBench(options: StorageBenchOptions): StorageBench {
  const root = mkdtempSync(join(tmpdir(), 'varve-bench-storage-'));
  const histories = new Map<number, Promise<History>>();
  let made = 0;
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const say = (text: string): void => console.error(text);
  const folder = (name: string): string => {
    made += 1;
    const path = join(root, `${made}-${name}`);
    mkdirSync(path);
    return path;
  };
  const make = (entries: number): Promise<History> => {
    say(`  writing a history of ${entries.toLocaleString('en')} entries …`);
    const how: Omit<HistoryOptions, 'folder' | 'entries'> =
      entries < manyEntries ? { compaction } : { compaction: largeCompaction, toolLength: 500 };
    return makeHistory({ folder: folder(`history-${entries}`), entries, ...how });
  };
  return {
    ...options,
    often: options.isQuick ? { rounds: 3, warmUps: 1 } : { rounds: 15, warmUps: 3 },
    folder,
    history: (entries) => {
      const history = histories.get(entries) ?? make(entries);
      histories.set(entries, history);
      return history;
    },
    say,
    collect,
    end: () => rmSync(root, { recursive: true, force: true }),
  };
}
