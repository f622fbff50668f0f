import type { BenchResult } from '../bench-result.ts';
import { committedFigures, regressionCheck } from './committed-result.ts';
import type { MissingPeer, WorkloadResult } from './comparison-row.ts';
import { comparisonTable, limitChecks, ratioFigures } from './comparison-table.ts';
import { installedVersions } from './installed-versions.ts';
import { type MeasuredOptions, type OptionsSubject, readOptions } from './read-options.ts';
import { createWorkbench, type Workbench } from './workbench.ts';

/** One of the workloads of a set. */
export interface Workload<Bench extends Workbench> {
  /** `B7` and so on. */
  readonly id: string;
  readonly title: string;
  run(bench: Bench): Promise<WorkloadResult>;
}

/** Workloads that are measured beside peers and the limits of the machine, in the same run and in turn. */
export interface MeasuredSet<Bench extends Workbench> extends Pick<OptionsSubject, 'large'> {
  /** As `pnpm bench` takes it: `speed`. */
  readonly name: string;
  readonly workloads: readonly Workload<Bench>[];
  /** Packages whose versions are told. */
  readonly packages: readonly string[];
  /** What its workloads share. */
  benchOf(workbench: Workbench, options: MeasuredOptions): Bench;
}

/**
 * Runs what the options ask for.
 *
 * @param given  `--only B7,B9`, `--quick`, `--check`, and `--large` where the set has it.
 * @throws BenchUsage  for other options.
 */
export async function runMeasured<Bench extends Workbench>(
  { name, workloads, packages, benchOf, large }: MeasuredSet<Bench>,
  given: readonly string[],
): Promise<BenchResult> {
  const options = readOptions(given, { set: name, ids: workloads.map(({ id }) => id), large });
  const { only, isChecked } = options;
  const workbench = createWorkbench(name);
  const [results, notes]: [WorkloadResult[], string[]] = [[], []];
  try {
    const bench = benchOf(workbench, options);
    for (const workload of workloads.filter(({ id }) => only === null || only.includes(id))) {
      const result = await runOne(workload, bench);
      results.push(result);
      notes.push(...(result.notes ?? []).map((note) => `${workload.id}: ${note}`));
    }
  } finally {
    workbench.end();
  }
  const rows = results.flatMap((result) => result.rows);
  const missing = missingOnce(results.flatMap((result) => result.missing ?? []));
  const [versions, figures] = [installedVersions(packages), ratioFigures(rows)];
  return {
    text: [
      versions.join(', '),
      'in turn, round by round; a ratio is the median of one quotient a round (least … most)',
      comparisonTable(rows),
      ...missing.map(({ name: peer, why }) => `not measured: ${peer}, as ${why}`),
      ...notes,
    ].join('\n'),
    data: { options, versions, rows, missing, notes, figures },
    // A ratio that was missed already when the result was committed has not become worse.
    checks: isChecked
      ? [
          ...limitChecks(rows.filter(({ unit }) => unit !== '×')),
          regressionCheck(figures, { set: name, committed: committedFigures(name) }),
        ]
      : limitChecks(rows),
  };
}

async function runOne<Bench extends Workbench>(workload: Workload<Bench>, bench: Bench): Promise<WorkloadResult> {
  bench.say(`${workload.id} ${workload.title} …`);
  const startedAt = performance.now();
  const result = await workload.run(bench);
  bench.collect();
  bench.say(`${workload.id} took ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
  return result;
}

/** Several workloads miss the same peer. */
function missingOnce(missing: readonly MissingPeer[]): readonly MissingPeer[] {
  return [...new Map(missing.map((one) => [`${one.name} ${one.why}`, one])).values()];
}
