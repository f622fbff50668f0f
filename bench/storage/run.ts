import type { BenchResult } from '../bench-result.ts';
import { runMeasured } from '../measured/run-measured.ts';
import { storageBench } from './storage-bench.ts';
import { appendInFlight } from './workloads/append-in-flight.ts';
import { appendManySessions } from './workloads/append-many-sessions.ts';
import { appendNotDurable } from './workloads/append-not-durable.ts';
import { appendSequential } from './workloads/append-sequential.ts';
import { manyRecords } from './workloads/many-records.ts';
import { soak } from './workloads/soak.ts';
import { tornTail } from './workloads/torn-tail.ts';
import { updateRecord } from './workloads/update-record.ts';
import { wakeUp } from './workloads/wake-up.ts';
import { wakeWithoutCheckpoint } from './workloads/wake-without-checkpoint.ts';

const packages = [
  '@varve/core',
  '@varve/stores',
  '@varve/sessions',
  '@mariozechner/pi-coding-agent',
  'better-sqlite3',
  '@langchain/langgraph',
  '@langchain/langgraph-checkpoint-sqlite',
] as const;

/**
 * What storing and waking cost beside peers and beside what the machine can do, all in one run.
 *
 * @param options  `--only B1,B2`, `--quick`, `--large`, `--check`.
 * @throws BenchUsage  for options that are not known.
 */
export function runStorage(options: readonly string[]): Promise<BenchResult> {
  return runMeasured(
    {
      name: 'storage',
      packages,
      benchOf: storageBench,
      large:
        'journals of a million entries, too, and 100,000 sessions that are really used: half an hour, 5 GB of disk',
      workloads: [
        appendNotDurable,
        appendInFlight,
        appendSequential,
        appendManySessions,
        wakeUp,
        wakeWithoutCheckpoint,
        updateRecord,
        manyRecords,
        soak,
        tornTail,
      ],
    },
    options,
  );
}
