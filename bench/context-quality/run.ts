import type { BenchCheck, BenchResult } from '../bench-result.ts';
import { type Calibration, calibrateCache } from './checks/calibrate-cache.ts';
import { type ChangedRow, checkChanges } from './checks/check-changes.ts';
import { checkPrefix, type PrefixCheck } from './checks/check-prefix.ts';
import { recordedSurvival, type Survival, simulatedSurvival } from './checks/compaction-survival.ts';
import { type Measured, measure } from './measure/measure.ts';
import { prepareTrajectory } from './measure/walk.ts';
import { parseQualityOptions, type QualityOptions } from './options.ts';
import { ablationTables } from './report/ablation-table.ts';
import { drawCharts } from './report/charts.ts';
import { qualityChecks } from './report/quality-checks.ts';
import { qualityTable, short } from './report/quality-table.ts';
import { calibrationTable, changesTable, prefixTable, survivalTable } from './report/side-tables.ts';
import { runSearch } from './search/run-search.ts';
import type { QualitySet } from './sets/catalogue.ts';
import { renameIdentifiers } from './sets/rename-identifiers.ts';
import { shiftTimes } from './sets/shift-times.ts';
import type { Trajectory } from './sets/trajectory.ts';
import { peerStrategies } from './strategies/peers.ts';
import { productStrategies } from './strategies/product-modes.ts';
import type { MissingStrategy, Strategy } from './strategies/strategy.ts';

const prefixSamples = 6;
/** Sets whose sessions are long enough to be cut. */
const survivalSets = ['recorded', 'claude-code', 'pi'];

/** Everything that was measured. */
interface QualityData {
  readonly options: object;
  readonly missing: readonly MissingStrategy[];
  readonly sources: Readonly<Record<string, string>>;
  readonly rows: Measured[];
  readonly prefixes: PrefixCheck[];
  readonly changes: ChangedRow[];
  readonly calibrations: Calibration[];
  survival: readonly Survival[];
}

/** Measures what the product and its peers leave visible of long conversations, and what that costs. */
export async function runContextQuality(args: readonly string[]): Promise<BenchResult> {
  const options = parseQualityOptions(args);
  if (options.isSearch) return runSearch(options);
  const { strategies, missing } = await chooseStrategies(options);
  const data: QualityData = {
    options: { ...options, sets: options.sets.map(({ name }) => name) },
    missing,
    sources: Object.fromEntries(strategies.map(({ name, source }) => [name, source])),
    rows: [],
    prefixes: [],
    changes: [],
    calibrations: [],
    survival: [],
  };
  const cut: Trajectory[] = [];
  for (const set of options.sets) {
    const trajectories = loadSet(set, options);
    if (trajectories.length === 0) {
      missing.push({ name: `set ${set.name}`, why: 'its files are not in the folder of the data' });
      continue;
    }
    await measureSet(set, { trajectories, strategies, options, data });
    data.calibrations.push(...trajectories.flatMap((one) => calibrateCache(one) ?? []));
    if (survivalSets.includes(set.name)) cut.push(...trajectories);
  }
  if (cut.length > 0) data.survival = [...(await simulatedSurvival(cut)), ...(await recordedSurvival(cut))];
  if (options.charts !== null) await drawCharts(data.rows, options.charts);
  return { text: textOf(data, options), data, checks: checksOf(data) };
}

async function chooseStrategies(
  options: QualityOptions,
): Promise<{ readonly strategies: readonly Strategy[]; readonly missing: MissingStrategy[] }> {
  const product = productStrategies(options);
  const peers = await peerStrategies();
  const isWanted = ({ name, family }: Strategy): boolean =>
    family === 'reference' || options.only === null || options.only.some((text) => name.includes(text));
  return {
    strategies: [...product.strategies, ...peers.strategies].filter(isWanted),
    missing: [...product.missing, ...peers.missing],
  };
}

function loadSet(set: QualitySet, { data, seed, rename, shift }: QualityOptions): readonly Trajectory[] {
  const trajectories = set.load({ data: data ?? '', seed });
  const renamed = rename === null ? trajectories : trajectories.map((one) => renameIdentifiers(one, rename));
  return shift === null ? renamed : renamed.map((one) => shiftTimes(one, shift));
}

async function measureSet(
  set: QualitySet,
  run: {
    readonly trajectories: readonly Trajectory[];
    readonly strategies: readonly Strategy[];
    readonly options: QualityOptions;
    readonly data: QualityData;
  },
): Promise<void> {
  const { trajectories, strategies, options, data } = run;
  const prepared = trajectories.map((trajectory) => prepareTrajectory(trajectory, set.distance));
  const every = options.every ?? set.every;
  for (const budget of options.budgets ?? set.budgets) {
    for (const strategy of strategies) {
      const startedAt = performance.now();
      const row = await measure(strategy, { set, trajectories: prepared, budget, every });
      data.rows.push(row);
      if (options.isChangeChecked && strategy.family === 'product') {
        data.changes.push(...(await checkChanges(strategy, { set, trajectories, budget, every, plain: row })));
      }
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
      console.error(`${set.name} ${short(budget)}: ${strategy.name}, ${seconds} s`);
    }
    if (!options.isPrefixChecked) continue;
    for (const strategy of strategies.filter(({ family }) => family === 'product')) {
      const [trajectory] = trajectories as [Trajectory];
      data.prefixes.push(await checkPrefix(strategy, { trajectory, budget, samples: prefixSamples }));
    }
  }
}

function checksOf({ rows, prefixes, changes, survival }: QualityData): readonly BenchCheck[] {
  return qualityChecks({ rows, prefixes, changes, survival });
}

function textOf(data: QualityData, { seed, rename, shift, counter, every }: QualityOptions): string {
  const tables = new Map<string, Measured[]>();
  for (const row of data.rows) {
    const key = `${row.set} ${row.budget}`;
    tables.set(key, [...(tables.get(key) ?? []), row]);
  }
  const changed = [
    ...(rename === null ? [] : [`identifiers renamed with seed ${rename}`]),
    ...(shift === null ? [] : [`times shifted by ${shift} days`]),
    ...(every === null ? [] : [`every ${every} judged`]),
  ];
  return [
    [`dialogues drawn with seed ${seed}`, `the product counts with ${counter}`, ...changed].join('; '),
    'Shares in %; (must / goal) beside. Cost: base tokens a request, cache of five minutes, 12k in front of every request.',
    ...[...tables.values()].map(qualityTable),
    ...ablationTables(data.rows),
    calibrationTable(data.calibrations),
    survivalTable(data.survival),
    prefixTable(data.prefixes),
    changesTable(data.changes),
    ...data.missing.map(({ name, why }) => `missing: ${name}: ${why}`),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}
