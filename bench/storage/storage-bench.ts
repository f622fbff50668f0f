import type { InterleaveOptions } from '../interleave.ts';
import type { MeasuredOptions } from '../measured/read-options.ts';
import type { Workload } from '../measured/run-measured.ts';
import type { Workbench } from '../measured/workbench.ts';
import { type History, type HistoryOptions, makeHistory } from './data/histories.ts';

/** One of the workloads. */
export type StorageWorkload = Workload<StorageBench>;

/** What workloads share. */
export interface StorageBench extends Workbench {
  /** Smaller, for a look: figures are not to be quoted. */
  readonly isQuick: boolean;
  /** A million entries, too. */
  readonly isLarge: boolean;
  /** How often contenders are measured. */
  readonly often: InterleaveOptions;
  /** A history of so many entries, made once; nobody changes it. */
  history(entries: number): Promise<History>;
}

/** Messages after the compaction of a history, and those that it keeps. */
const compaction = { before: 200, kept: 40 } as const;
const largeCompaction = { before: 300, kept: 40 } as const;

/** From so many entries on, tools answer with 500 characters in the mean, so that a million are not more than 1 GB. */
const manyEntries = 500_000;

/** What workloads of storage have beyond others. */
export function storageBench(workbench: Workbench, { isQuick, isLarge }: MeasuredOptions): StorageBench {
  const histories = new Map<number, Promise<History>>();
  const make = (entries: number): Promise<History> => {
    workbench.say(`  writing a history of ${entries.toLocaleString('en')} entries …`);
    const how: Omit<HistoryOptions, 'folder' | 'entries'> =
      entries < manyEntries ? { compaction } : { compaction: largeCompaction, toolLength: 500 };
    return makeHistory({ folder: workbench.folder(`history-${entries}`), entries, ...how });
  };
  return {
    ...workbench,
    isQuick,
    isLarge,
    often: isQuick ? { rounds: 3, warmUps: 1 } : { rounds: 15, warmUps: 3 },
    history: (entries) => {
      const history = histories.get(entries) ?? make(entries);
      histories.set(entries, history);
      return history;
    },
  };
}
