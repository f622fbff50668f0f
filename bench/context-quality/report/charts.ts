import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Measured } from '../measure/measure.ts';

/** One point of a chart: a strategy with a budget. */
interface Point {
  readonly strategy: string;
  readonly family: string;
  readonly budget: number;
  readonly cost: number;
  readonly share: number;
}

/** Draws two SVG files a set: what is kept by budget, and what is kept by cost. */
export async function drawCharts(rows: readonly Measured[], folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const set of new Set(rows.map((row) => row.set))) {
    const points = rows.filter((row) => row.set === set && row.family !== 'reference').flatMap(pointOf);
    const what = rows.find((row) => row.set === set)?.evidence === null ? 'identifiers needed later' : 'evidence';
    const title = `${set}: ${what} that is visible, %`;
    writeFileSync(join(folder, `${set}-by-budget.svg`), await draw({ title, points, by: 'budget' }));
    writeFileSync(join(folder, `${set}-by-cost.svg`), await draw({ title, points, by: 'cost' }));
  }
}

function pointOf({ strategy, family, budget, cost5m, evidence, identifiers }: Measured): readonly Point[] {
  const share = evidence ?? identifiers;
  return share === null ? [] : [{ strategy, family, budget, cost: cost5m, share: 100 * share }];
}

interface Chart {
  readonly title: string;
  readonly points: readonly Point[];
  readonly by: 'budget' | 'cost';
}

const axes = { budget: 'budget, tokens', cost: 'cost a request, base tokens' };

/** Vega's loader never runs: the data are in the chart. */
async function draw({ title, points, by }: Chart): Promise<string> {
  const [{ compile }, { parse, View }] = await Promise.all([import('vega-lite'), import('vega')]);
  const { spec } = compile({
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    title,
    width: 520,
    height: 340,
    background: 'white',
    data: { values: points.map((point) => ({ ...point })) },
    mark: { type: by === 'budget' ? 'line' : 'point', point: true, filled: true },
    encoding: {
      x: {
        field: by,
        type: 'quantitative',
        title: axes[by],
        scale: by === 'budget' ? { type: 'log' } : { zero: false },
      },
      y: { field: 'share', type: 'quantitative', title: 'visible, %', scale: { domain: [0, 100] } },
      color: {
        field: 'strategy',
        type: 'nominal',
        title: null,
        scale: { scheme: 'tableau20' },
        legend: { labelLimit: 300 },
      },
      ...(by === 'budget'
        ? { strokeDash: { field: 'family', type: 'nominal', title: null } }
        : { shape: { field: 'family', type: 'nominal', title: null } }),
      ...(by === 'budget' ? {} : { size: { field: 'budget', type: 'ordinal' } }),
    },
  });
  return new View(parse(spec), { renderer: 'none' }).toSVG();
}
