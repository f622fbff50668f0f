import type { createColors } from 'picocolors';
import { cutLine } from '../terminal/cut-line.ts';
import { counted, shortNumber } from '../terminal/format-number.ts';
import { plainTable } from '../terminal/plain-table.ts';
import { chooseRows } from './choose-rows.ts';
import type { LayerTokens } from './layer-tokens.ts';
import type { RequestRow } from './request-row.ts';

/** How a table is printed. */
export interface TableOptions {
  /** Every row. @default a readable choice */
  readonly all: boolean;
  readonly columns: number;
  readonly colours: ReturnType<typeof createColors>;
}

interface Column {
  readonly head: string;
  readonly text: (row: RequestRow) => string;
  /** Left out when nothing is in it. */
  readonly isOptional?: boolean;
  readonly isLeft?: boolean;
}

/** A bar is drawn where there is room for it. */
const columnsForBar = 100;
const barLength = 10;
const longestAction = 20;

/** One row a request: what it holds, what was done, what it costs. Says how many rows it leaves out. */
export function replayTable(rows: readonly RequestRow[], options: TableOptions): string {
  const shown = options.all ? rows : chooseRows(rows).flatMap((index) => rows[index] ?? []);
  const columns = columnsFor(options).filter(
    ({ isOptional, text }) => isOptional !== true || shown.some((row) => text(row) !== ''),
  );
  const table = plainTable({
    head: columns.map(({ head }) => options.colours.dim(head)),
    rows: shown.map((row) => columns.map(({ text }) => text(row))),
    left: columns.flatMap(({ isLeft }, index) => (isLeft === true ? [index] : [])),
  });
  const left = rows.length - shown.length;
  const note = left === 0 ? '' : `\n${options.colours.dim(`${counted(left, 'row')} left out; --all prints them.`)}`;
  return `${table}${note}`;
}

function columnsFor({ columns, colours }: TableOptions): readonly Column[] {
  const layer = (name: keyof LayerTokens, head: string): Column => ({
    head,
    text: ({ layers }) => shortOrNothing(layers[name]),
    isOptional: true,
  });
  const full: Column =
    columns >= columnsForBar ? { head: 'budget', text: bar, isLeft: true } : { head: 'full', text: share };
  return [
    { head: 'item', text: ({ item }) => (item === undefined ? '' : String(item)), isOptional: true },
    { head: 'turn', text: ({ turn }) => String(turn) },
    { head: 'msgs', text: ({ entries }) => String(entries) },
    { head: 'tokens', text: ({ tokens, error }) => (error === undefined ? shortNumber(tokens) : '–') },
    layer('system', 'system'),
    layer('summary', 'summ.'),
    layer('history', 'hist.'),
    layer('live', 'live'),
    layer('notes', 'notes'),
    layer('volatile', 'vol.'),
    { ...full, isOptional: true },
    { head: 'drop', text: ({ dropped }) => shortOrNothing(dropped), isOptional: true },
    { head: 'read', text: ({ cacheRead }) => shortOrNothing(cacheRead), isOptional: true },
    { head: 'write', text: ({ cacheWrite }) => shortOrNothing(cacheWrite), isOptional: true },
    { head: 'cost', text: ({ cost }) => shortOrNothing(cost) },
    { head: 'actions', text: (row) => actionText(row, colours), isOptional: true, isLeft: true },
  ];
}

function shortOrNothing(value: number): string {
  return value === 0 ? '' : shortNumber(value);
}

function share({ tokens, budget }: RequestRow): string {
  return budget === null ? '' : `${Math.round((100 * tokens) / budget)}%`;
}

function bar({ tokens, budget }: RequestRow): string {
  if (budget === null) return '';
  const filled = Math.min(barLength, Math.round((barLength * tokens) / budget));
  return `${'█'.repeat(filled)}${'░'.repeat(barLength - filled)} ${share({ tokens, budget } as RequestRow)}`;
}

function actionText({ actions, error, invalid }: RequestRow, colours: TableOptions['colours']): string {
  if (error !== undefined) return colours.red('impossible');
  if (invalid !== undefined) return colours.red('invalid');
  // `cleared:mask-old-result` is what was done and the rule; a table has room for what was done.
  const done = [...new Set(actions.map((action) => action.split(':')[0] ?? action))].sort();
  const short = cutLine(done.join('+'), longestAction);
  return actions.includes('compaction') ? colours.yellow(short) : colours.cyan(short);
}
