import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchCheck, BenchResult } from '../bench-result.ts';
import { type RatioFigure, regressionsOf } from '../regression.ts';
import type { MissingPeer, StorageRow } from '../storage/storage-row.ts';
import { ratioFigures, storageChecks, storageTable } from '../storage/storage-table.ts';
import { readOptions } from './options.ts';
import { installedVersions } from './peers/installed-versions.ts';
import { createSpeedBench, type Workload } from './speed-bench.ts';
import { assembleWorkload } from './workloads/assemble.ts';
import { assembleWithPluginsWorkload } from './workloads/assemble-with-plugins.ts';
import { emitEventsWorkload } from './workloads/emit-events.ts';
import { estimateTokensWorkload } from './workloads/estimate-tokens.ts';
import { hookChainWorkload } from './workloads/hook-chain.ts';
import { wholeTurnWorkload } from './workloads/whole-turn.ts';

/** Those that fill the memory come last. */
const workloads: readonly Workload[] = [
  estimateTokensWorkload,
  hookChainWorkload,
  emitEventsWorkload,
  assembleWithPluginsWorkload,
  assembleWorkload,
  wholeTurnWorkload,
];

const committedFile = join(import.meta.dirname, '../results/speed.json');

/** What is written for programs. */
interface SpeedData {
  readonly versions: readonly string[];
  readonly isQuick: boolean;
  readonly rows: readonly StorageRow[];
  readonly missing: readonly MissingPeer[];
  /** What is compared from run to run. */
  readonly figures: readonly RatioFigure[];
}

/**
 * How fast prompts are made, beside peers and the limits of the machine, in the same run and in turn.
 *
 * @param options  `--only B7,B9`, `--quick`, `--check`.
 * @throws BenchUsage  for other options.
 */
export async function runSpeed(options: readonly string[]): Promise<BenchResult> {
  const { only, isQuick, isChecked } = readOptions(
    options,
    workloads.map(({ id }) => id),
  );
  const bench = createSpeedBench({ isQuick });
  const [rows, missing, notes]: [StorageRow[], MissingPeer[], string[]] = [[], [], []];
  try {
    for (const { id, title, run } of workloads.filter((one) => only === null || only.includes(one.id))) {
      const startedAt = performance.now();
      bench.say(`${id} ${title} …`);
      const result = await run(bench);
      rows.push(...result.rows);
      missing.push(...(result.missing ?? []));
      notes.push(...(result.notes ?? []).map((note) => `${id}: ${note}`));
      bench.say(`${id} took ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
    }
  } finally {
    bench.end();
  }
  const versions = installedVersions();
  const data: SpeedData = { versions, isQuick, rows, missing, figures: ratioFigures(rows) };
  return {
    text: [
      versions.join(', '),
      `all in turn in one process, ${bench.isQuick ? 3 : '7 to 9'} rounds; the median of one quotient a round (least … most)`,
      storageTable(rows),
      ...missing.map(({ name, why }) => `not measured: ${name}, as ${why}`),
      ...notes,
    ].join('\n'),
    data,
    // What was missed already when the result was committed has not become worse.
    checks: isChecked ? [regressionCheck(data.figures)] : storageChecks(rows),
  };
}

function regressionCheck(now: readonly RatioFigure[]): BenchCheck {
  const what = 'ratios against those in bench/results/speed.json';
  const must = 'at least half as good, and their must';
  if (!existsSync(committedFile)) return { what, figure: 'there is no such file', must, isMet: false };
  const { data } = JSON.parse(readFileSync(committedFile, 'utf8')) as { readonly data: SpeedData };
  const worse = regressionsOf(now, data.figures);
  return { what, figure: worse.length === 0 ? 'none is worse' : worse.join('\n'), must, isMet: worse.length === 0 };
}
