import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchCheck, BenchResult } from '../bench-result.ts';
import { type RatioFigure, regressionsOf } from '../regression.ts';
import { parseStorageOptions } from './options.ts';
import { installedVersions } from './peers/versions.ts';
import { createStorageBench, type StorageBench, type Workload } from './storage-bench.ts';
import type { WorkloadResult } from './storage-row.ts';
import { ratioFigures, storageChecks, storageTable } from './storage-table.ts';
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

const workloads: readonly Workload[] = [
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
];

/** Written by `pnpm bench storage --json bench/results/storage.json` on a machine that does nothing else. */
const committedFile = join(import.meta.dirname, '../results/storage.json');

/**
 * What storing and waking cost beside peers and beside what the machine can do, all in one run.
 *
 * @throws BenchUsage  for options that are not known.
 */
export async function runStorage(args: readonly string[]): Promise<BenchResult> {
  const options = parseStorageOptions(
    args,
    workloads.map(({ id }) => id),
  );
  const committed = options.isCheck ? readCommitted() : [];
  const bench = createStorageBench(options);
  const { only } = options;
  const chosen = workloads.filter(({ id }) => only === null || only.includes(id));
  const results: WorkloadResult[] = [];
  try {
    for (const workload of chosen) results.push(await runOne(workload, bench));
  } finally {
    bench.end();
  }
  const rows = results.flatMap((result) => result.rows);
  const missing = results.flatMap((result) => result.missing ?? []);
  const notes = [
    ...new Set(missing.map(({ name, why }) => `not measured: ${name}, as ${why}`)),
    ...results.flatMap((result) => result.notes ?? []),
  ];
  const versions = installedVersions();
  const figures = ratioFigures(rows);
  return {
    text: [versions.join(', '), storageTable(rows), ...notes].join('\n'),
    data: { options, versions, rows, notes, figures },
    checks: [...storageChecks(rows), ...regressionChecks(figures, { committed, isCheck: options.isCheck })],
  };
}

async function runOne(workload: Workload, bench: StorageBench): Promise<WorkloadResult> {
  bench.say(`${workload.id}: ${workload.title}`);
  const startedAt = performance.now();
  const result = await workload.run(bench);
  bench.collect();
  bench.say(`  ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
  return result;
}

function readCommitted(): readonly RatioFigure[] {
  if (!existsSync(committedFile)) return [];
  const result = JSON.parse(readFileSync(committedFile, 'utf8')) as {
    readonly data: { readonly figures: readonly RatioFigure[] };
  };
  return result.data.figures;
}

function regressionChecks(
  figures: readonly RatioFigure[],
  { committed, isCheck }: { readonly committed: readonly RatioFigure[]; readonly isCheck: boolean },
): readonly BenchCheck[] {
  if (!isCheck) return [];
  const worse = regressionsOf(figures, committed);
  const compared = `${figures.length} figures`;
  const must = 'half as good as the committed ones, and none misses its must';
  if (worse.length === 0) return [{ what: 'compared with the committed result', figure: compared, must, isMet: true }];
  return worse.map((sentence) => ({
    what: 'compared with the committed result',
    figure: sentence,
    must,
    isMet: false,
  }));
}
