import type { BenchResult } from '../../bench-result.ts';
import type { QualityOptions } from '../options.ts';
import { plainTable } from '../report/plain-table.ts';
import { percent } from '../report/quality-table.ts';
import { fullHistory } from '../strategies/plain-windows.ts';
import { productStrategy } from '../strategies/product-modes.ts';
import { type CellFigures, cellsOf, fullCostsOf, type Half, measureCells } from './search-cells.ts';
import {
  differenceOf,
  type ParameterName,
  type Point,
  parameterNames,
  searchSpace,
  settingsOf,
} from './search-space.ts';
import { usualPoint } from './usual-point.ts';

/** One point that was tried. */
interface Trial {
  readonly half: Half;
  readonly point: Point;
  readonly figures: CellFigures;
  readonly worth: number;
}

/** What a tenth of the cost of sending everything has to bring, in points of the mean share. */
const worthOfCost = 0.3;

/** Passes over all parameters. */
const mostPasses = 1;

/**
 * Searches the sizes of digest and notes of the preset: from what it has today, one parameter after the other, each value
 * of the space with the others as they are, the best one stays; on one half of the conversations. What was found and what
 * there is today are then measured on the other half, which no choice was made on.
 */
export async function runSearch(options: QualityOptions): Promise<BenchResult> {
  const from = { data: options.data ?? '', seed: options.seed };
  const bench = {
    chosen: await halfOf('chosen', { from, options }),
    heldOut: await halfOf('held-out', { from, options }),
  };
  const trials: Trial[] = [await bench.chosen(usualPoint)];
  let best = trials[0] as Trial;
  for (let pass = 0; pass < mostPasses; pass += 1) {
    const before = best;
    for (const name of parameterNames) {
      const others = await tryValues(name, { best, measureAt: bench.chosen });
      trials.push(...others);
      best = others.reduce((one, other) => (other.worth > one.worth ? other : one), best);
    }
    if (best === before) break;
  }
  const judged = [await bench.heldOut(usualPoint)];
  const single = parameterNames.filter((name) => best.point[name] !== usualPoint[name]);
  for (const name of single) judged.push(await bench.heldOut({ ...usualPoint, [name]: best.point[name] }));
  if (single.length > 1) judged.push(await bench.heldOut(best.point));
  const text = [
    `tried on one half of the conversations, worth: mean of the shares − ${worthOfCost} × cost of sending everything`,
    trialTable(trials),
    'the usual values, each that was found by itself, and all of them, on the other half',
    trialTable(judged),
  ].join('\n\n');
  return { text, data: { trials, judged }, checks: [] };
}

async function tryValues(
  name: ParameterName,
  { best, measureAt }: { readonly best: Trial; readonly measureAt: (point: Point) => Promise<Trial> },
): Promise<readonly Trial[]> {
  const trials: Trial[] = [];
  for (const value of searchSpace[name]) {
    if (value !== best.point[name]) trials.push(await measureAt({ ...best.point, [name]: value }));
  }
  return trials;
}

/** Measures points on one half. */
async function halfOf(
  half: Half,
  {
    from,
    options,
  }: { readonly from: { readonly data: string; readonly seed: number }; readonly options: QualityOptions },
): Promise<(point: Point) => Promise<Trial>> {
  const cells = cellsOf(half, from);
  const fullCosts = await fullCostsOf(fullHistory, cells);
  const known = new Map<string, Trial>();
  return async (point) => {
    const key = JSON.stringify(point);
    const strategy = productStrategy(key, { settings: settingsOf(point), counter: options.counter });
    const figures = known.get(key)?.figures ?? (await measureCells(strategy, { cells, fullCosts }));
    const trial = { half, point, figures, worth: worthOf(figures) };
    known.set(key, trial);
    console.error(`${half}: ${differenceOf(point, usualPoint)}: ${rowOf(trial).join(' | ')}`);
    return trial;
  };
}

function worthOf({ identifiers, lines, instructions, evidence, costShare }: CellFigures): number {
  return (identifiers + lines + instructions + evidence) / 4 - worthOfCost * costShare;
}

function trialTable(trials: readonly Trial[]): string {
  const table = plainTable(['changed', 'identifiers', 'lines', "user's words", 'evidence', '× full', 'worth']);
  for (const trial of trials) table.push([differenceOf(trial.point, usualPoint), ...rowOf(trial)]);
  return table.toString();
}

function rowOf({ figures, worth }: Trial): readonly string[] {
  const { identifiers, lines, instructions, evidence, costShare } = figures;
  const shares = [identifiers, lines, instructions, evidence].map(percent);
  return [...shares, costShare.toFixed(3), (100 * worth).toFixed(1)];
}
