import Table from 'cli-table3';
import type { BenchCheck } from '../bench-result.ts';
import { isAsGood, type RatioFigure } from '../regression.ts';
import type { ComparisonRow } from './comparison-row.ts';

/** All rows, with what each must and should reach, and the times behind it. */
export function comparisonTable(rows: readonly ComparisonRow[]): string {
  const head = ['', 'compared', 'median', 'least … most', 'must', 'goal', '', 'median times'];
  const table = new Table({ head, style: { head: [], border: [] } });
  for (const row of rows) {
    const { workload, what, figure, unit, must, goal, detail = '' } = row;
    const [median, least, most] = [figure.median, figure.least, figure.most].map((value) => short(value));
    const spread = figure.least === figure.most ? '' : `${least} … ${most}`;
    table.push([
      workload,
      what,
      `${median} ${unit === 'count' ? '' : unit}`.trim(),
      spread,
      limitText(row, must),
      limitText(row, goal),
      verdictOf(row),
      detail,
    ]);
  }
  return table.toString();
}

/** What must be reached, and what is hoped for, each by itself. */
export function limitChecks(rows: readonly ComparisonRow[]): readonly BenchCheck[] {
  return rows.flatMap((row) => {
    const { workload, what, figure, unit, must, goal } = row;
    const check = {
      what: `${workload} ${what}`,
      figure: `${short(figure.median)} ${unit === 'count' ? '' : unit}`.trim(),
    };
    return [
      ...(must === undefined ? [] : [{ ...check, must: limitText(row, must), isMet: reaches(row, must) }]),
      ...(goal === undefined ? [] : [{ ...check, goal: limitText(row, goal), isMet: reaches(row, goal) }]),
    ];
  });
}

/** What is compared from run to run: ratios. Counts and memory have to reach what they must, and that is all. */
export function ratioFigures(rows: readonly ComparisonRow[]): readonly RatioFigure[] {
  return rows
    .filter(({ unit }) => unit === '×')
    .map(({ workload, name, figure, better, must }) => {
      const id = `${workload} ${name}`;
      return { id, ratio: figure.median, better, ...(must === undefined ? {} : { must }) };
    });
}

function verdictOf(row: ComparisonRow): string {
  const { must, goal } = row;
  if (must !== undefined && !reaches(row, must)) return 'must missed';
  if (goal !== undefined) return reaches(row, goal) ? 'goal' : must === undefined ? 'goal missed' : 'must';
  if (must !== undefined) return 'must';
  return row.better === 'more' && row.figure.median < 1 ? 'behind' : '';
}

function reaches({ figure, better }: ComparisonRow, limit: number): boolean {
  return isAsGood({ ratio: figure.median, better }, limit);
}

function limitText({ better }: ComparisonRow, limit: number | undefined): string {
  return limit === undefined ? '' : `${better === 'more' ? '≥' : '≤'} ${short(limit)}`;
}

function short(value: number): string {
  const size = Math.abs(value);
  if (Number.isInteger(value) || size >= 99.5) return Math.round(value).toLocaleString('en');
  return size < 0.1 ? value.toPrecision(1) : value.toFixed(size < 9.95 ? 2 : 1);
}
