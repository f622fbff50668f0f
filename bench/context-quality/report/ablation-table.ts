import type { Measured } from '../measure/measure.ts';
import { plainTable } from './plain-table.ts';
import { short } from './quality-table.ts';

/** A row that lacks a part, beside the one of the same mode that has it. */
interface Lacking {
  readonly mode: string;
  readonly part: string;
  readonly row: Measured;
  readonly whole: Measured;
  readonly full: Measured | undefined;
}

const between = ' without ';

/** What each part is worth: a table a mode, a row a part, the differences in points by set and budget. Empty for none. */
export function ablationTables(rows: readonly Measured[]): readonly string[] {
  const lacking = rows.flatMap((row) => lackingOf(row, rows));
  const modes = [...new Set(lacking.map(({ mode }) => mode))];
  return modes.map((mode) => {
    const own = lacking.filter((one) => one.mode === mode);
    const places = [...new Set(own.map(({ row }) => placeOf(row)))];
    const table = plainTable([`${mode} without`, ...places]);
    for (const part of new Set(own.map((one) => one.part))) {
      const cellAt = (place: string): string => {
        const found = own.find((one) => one.part === part && placeOf(one.row) === place);
        return found === undefined ? '' : cellOf(found);
      };
      table.push([part, ...places.map(cellAt)]);
    }
    return `${title}\n${table.toString()}`;
  });
}

const title =
  "Points that change without a part: identifiers / lines / user's words, or evidence / user's words; × full behind them";

function lackingOf(row: Measured, rows: readonly Measured[]): readonly Lacking[] {
  const [mode = '', part] = row.strategy.split(between);
  if (part === undefined) return [];
  const beside = rows.filter(({ set, budget }) => set === row.set && budget === row.budget);
  const whole = beside.find(({ strategy }) => strategy === mode);
  const full = beside.find(({ family }) => family === 'reference');
  return whole === undefined ? [] : [{ mode, part, row, whole, full }];
}

function placeOf({ set, budget }: Measured): string {
  return `${set} ${short(budget)}`;
}

function cellOf({ row, whole, full }: Lacking): string {
  const names =
    row.evidence === null
      ? (['identifiers', 'lines', 'instructions'] as const)
      : (['evidence', 'instructions'] as const);
  const points = names.map((name) => signed(100 * ((row[name] ?? 0) - (whole[name] ?? 0)), 1));
  const cost = (row.cost5m - whole.cost5m) / (full?.cost5m ?? Number.NaN);
  return `${points.join(' / ')}, ${signed(cost, 2)}`;
}

function signed(value: number, digits: number): string {
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return text;
  return `${value < 0 ? '−' : '+'}${text}`;
}
