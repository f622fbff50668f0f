import Table from 'cli-table3';
import type { BenchResult } from '../bench-result.ts';
import { contextErrors, type ErrorFigures, errorRows, measureSamples } from './error-table.ts';
import { measureSpeed, type SpeedRow } from './speed.ts';
import { textKinds } from './text-kinds.ts';

const seed = 20_240_601;
const speedRounds = 9;

/** Measures the token estimator: its error against o200k by kind of text, and its speed beside others. */
export function runEstimator(): BenchResult {
  const kinds = textKinds();
  const samples = measureSamples(kinds, seed);
  const rows = errorRows(kinds, samples);
  const context = contextErrors(samples, seed);
  const speed = measureSpeed(kinds, speedRounds);
  const [loop, varve, tokenx] = speed.map(({ median }) => median) as [number, number, number];
  const mean = rows.reduce((sum, row) => sum + row.varve.mean, 0) / rows.length;
  const characters = rows.reduce((sum, row) => sum + row.characters, 0);
  return {
    text: [
      `${rows.length} kinds of text, ${characters} characters, ${samples.length} samples of 400 to 8,000 characters`,
      errorTable(rows.map((row) => [row.kind, row.samples, ...[row.varve, row.tokenx, row.quarter].map(errorText)])),
      `contexts of 100,000 tokens: ${percent(context.lowest)} … ${percent(context.highest)} (mean ${percent(context.bias)})`,
      speedTable(speed, loop),
    ].join('\n'),
    data: { seed, rows, context, speed },
    checks: [
      {
        what: 'mean error a sample, over the kinds',
        figure: `${mean.toFixed(2)} %`,
        must: '≤ 3.5 %',
        isMet: mean <= 3.5,
      },
      {
        what: 'contexts of 100,000 tokens',
        figure: `${percent(context.lowest)} … ${percent(context.highest)}`,
        must: '−1 … +4 %',
        isMet: context.lowest >= -1 && context.highest <= 4,
      },
      {
        what: 'speed against tokenx',
        figure: `${(varve / tokenx).toFixed(1)} ×`,
        must: '≥ 8 ×',
        isMet: varve >= 8 * tokenx,
      },
      {
        what: 'speed against a bare loop',
        figure: `${(varve / loop).toFixed(2)} ×`,
        goal: '≥ 0.7 ×',
        isMet: varve >= 0.7 * loop,
      },
    ],
  };
}

function errorTable(rows: readonly (readonly (string | number)[])[]): string {
  const table = new Table({
    head: ['kind', 'samples', 'varve', 'tokenx', 'characters / 4'],
    style: { head: [], border: [] },
  });
  for (const row of rows) table.push([...row]);
  return table.toString();
}

function speedTable(rows: readonly SpeedRow[], loop: number): string {
  const table = new Table({
    head: ['counter', 'M characters/s: least', 'median', 'most', 'of the loop'],
    style: { head: [], border: [] },
  });
  for (const { counter, least, median, most } of rows) {
    table.push([counter, least.toFixed(1), median.toFixed(1), most.toFixed(1), (median / loop).toFixed(3)]);
  }
  return table.toString();
}

function errorText({ mean, bias, lowest, highest }: ErrorFigures): string {
  return `${mean.toFixed(1)} % (${percent(bias)}; ${percent(lowest)} … ${percent(highest)})`;
}

function percent(value: number): string {
  return `${value > 0 ? '+' : ''}${value.toFixed(1)} %`;
}
