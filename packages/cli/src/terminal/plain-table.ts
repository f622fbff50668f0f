import { stripVTControlCharacters } from 'node:util';
import Table from 'cli-table3';

/** A table without lines: columns with a space between them. */
export interface PlainTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Columns that are set to the left; the others are numbers. */
  readonly left: readonly number[];
  /** Characters that fit into a line: the texts of the last column are cut to what is left. @default Infinity, not cut */
  readonly columns?: number;
}

const noLines = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
  ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
  ...{ left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: ' ' },
};

/** Less is left of no column. */
const leastWidth = 20;

/** Sets a table; colours in its texts do not disturb the columns. */
export function plainTable({ head, rows, left, columns = Infinity }: PlainTable): string {
  const last = head.length - 1;
  const lastWidth = columns === Infinity ? null : Math.max(leastWidth, columns - widthBefore([head, ...rows], last));
  const table = new Table({
    head: [...head],
    colAligns: head.map((_, index) => (left.includes(index) ? 'left' : 'right')),
    colWidths: head.map((_, index) => (index === last ? lastWidth : null)),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true },
    chars: noLines,
  });
  for (const row of rows) table.push([...row]);
  return table.toString().replaceAll(/ +$/gm, '');
}

/** Characters of the columns before one, with the spaces between them. */
function widthBefore(lines: readonly (readonly string[])[], column: number): number {
  let width = column;
  for (let index = 0; index < column; index += 1) {
    const widths = lines.map((line) => stripVTControlCharacters(line[index] ?? '').length);
    width += widths.reduce((most, length) => Math.max(most, length), 0);
  }
  return width;
}
