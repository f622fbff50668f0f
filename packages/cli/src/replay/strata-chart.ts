import type { createColors } from 'picocolors';
import { shortNumber } from '../terminal/format-number.ts';
import { type LayerTokens, layerNames } from './layer-tokens.ts';
import type { RequestRow } from './request-row.ts';

/** How a chart is drawn. */
export interface ChartOptions {
  /** Characters that fit into a line. */
  readonly columns: number;
  readonly colours: ReturnType<typeof createColors>;
}

/** What one column of the picture stands for: the fullest of some requests in a row. */
interface Pillar {
  readonly row: RequestRow;
  readonly mark: string;
}

const heightLines = 12;
/** What stands before the picture: a number of tokens and the axis. */
const marginColumns = 8;
/** A few requests are drawn this wide, so that they can be told apart. */
const widestPillar = 3;

const fills: Readonly<Record<keyof LayerTokens, string>> = {
  system: '█',
  summary: '▓',
  history: '▒',
  live: '░',
  notes: '▚',
  volatile: '·',
};
const marks = { compaction: '▲', other: '△', model: '◇', failed: '×', none: ' ' } as const;
const budgetLine = '┄';

/**
 * Draws a replay as strata: a column a request, its layers one on the other, compactions marked below. Empty for
 * fewer than two requests.
 */
export function strataChart(rows: readonly RequestRow[], options: ChartOptions): string {
  if (rows.length < 2) return '';
  const pillars = pillarsOf(rows, options.columns - marginColumns);
  const width = Math.max(1, Math.min(widestPillar, Math.floor((options.columns - marginColumns) / pillars.length)));
  const scale = scaleOf(rows);
  const lines = Array.from({ length: heightLines }, (_, index) => {
    const line = heightLines - 1 - index;
    const cells = pillars.map(({ row }) => cell(row, { line, scale, colours: options.colours }).repeat(width));
    return `${label(line, scale)}│${joinCells(cells)}`;
  });
  const axis = `${' '.repeat(marginColumns - 1)}└${'─'.repeat(pillars.length * width)}`;
  const markLine = pillars.map(({ mark }) => mark + ' '.repeat(width - 1)).join('');
  const below = `${' '.repeat(marginColumns)}${options.colours.yellow(markLine.trimEnd())}`;
  return [
    ...lines,
    axis,
    ...(markLine.trim() === '' ? [] : [below]),
    turnLine(rows, pillars.length * width),
    legend(rows, { scale, columns: options.columns }),
  ].join('\n');
}

interface Scale {
  /** Tokens of the whole height. */
  readonly top: number;
  readonly budget: number | null;
  /** Line in which the budget is drawn. */
  readonly budgetAt: number | null;
}

function scaleOf(rows: readonly RequestRow[]): Scale {
  const most = rows.reduce((tokens, row) => Math.max(tokens, row.tokens), 1);
  const budget = rows[0]?.budget ?? null;
  // A budget far above all requests would press them to the floor.
  if (budget === null || budget > 2 * most) return { top: most, budget, budgetAt: null };
  const top = Math.max(most, budget);
  return { top, budget, budgetAt: Math.min(heightLines - 1, Math.ceil((budget / top) * heightLines) - 1) };
}

function pillarsOf(rows: readonly RequestRow[], most: number): readonly Pillar[] {
  const count = Math.min(most, rows.length);
  return Array.from({ length: count }, (_, index) => {
    const part = rows.slice(Math.floor((index * rows.length) / count), Math.floor(((index + 1) * rows.length) / count));
    const fullest = part.reduce((best, row) => (row.tokens > best.tokens ? row : best), part[0] as RequestRow);
    return { row: fullest, mark: markOf(part) };
  });
}

function markOf(rows: readonly RequestRow[]): string {
  if (rows.some(({ error, invalid }) => error !== undefined || invalid !== undefined)) return marks.failed;
  if (rows.some(({ actions }) => actions.includes('compaction'))) return marks.compaction;
  if (rows.some(({ actions, dropped }) => dropped > 0 || actions.some((action) => action !== 'model')))
    return marks.other;
  return rows.some(({ actions }) => actions.includes('model')) ? marks.model : marks.none;
}

/** The layer that covers the middle of a cell. */
function cell(
  { layers }: RequestRow,
  { line, scale, colours }: { readonly line: number; readonly scale: Scale; readonly colours: ChartOptions['colours'] },
): string {
  const middle = ((line + 0.5) / heightLines) * scale.top;
  let height = 0;
  for (const name of layerNames) {
    height += layers[name];
    if (middle <= height) return paint(name, colours);
  }
  return line === scale.budgetAt ? colours.dim(budgetLine) : ' ';
}

function paint(name: keyof LayerTokens, colours: ChartOptions['colours']): string {
  const paints: Readonly<Record<keyof LayerTokens, (text: string) => string>> = {
    system: colours.blue,
    summary: colours.yellow,
    history: colours.green,
    live: colours.cyan,
    notes: colours.magenta,
    volatile: colours.magenta,
  };
  return paints[name](fills[name]);
}

function joinCells(cells: readonly string[]): string {
  return cells.join('').replace(/ +$/, '');
}

/** The number of tokens at every third line, and at the top. */
function label(line: number, { top }: Scale): string {
  const isLabelled = line === heightLines - 1 || line % 3 === 0;
  const tokens = line === heightLines - 1 ? top : (line / heightLines) * top;
  return (isLabelled ? shortNumber(tokens) : '').padStart(marginColumns - 2).padEnd(marginColumns - 1);
}

function turnLine(rows: readonly RequestRow[], width: number): string {
  const first = 'request 1';
  const last = String(rows.length);
  const gap = Math.max(1, width - first.length - last.length);
  return `${' '.repeat(marginColumns)}${first}${' '.repeat(gap)}${last}`;
}

function legend(rows: readonly RequestRow[], { scale, columns }: { scale: Scale; columns: number }): string {
  const used = layerNames.filter((name) => rows.some(({ layers }) => layers[name] > 0));
  const found = new Set(rows.map((row) => markOf([row])));
  const { budget, budgetAt } = scale;
  const words = [
    ...used.map((name) => `${fills[name]} ${name}`),
    ...(found.has(marks.compaction) ? [`${marks.compaction} compaction`] : []),
    ...(found.has(marks.other) ? [`${marks.other} edit or cut`] : []),
    ...(found.has(marks.model) ? [`${marks.model} another model`] : []),
    ...(found.has(marks.failed) ? [`${marks.failed} failed`] : []),
    ...(budget === null || budgetAt === null ? [] : [`${budgetLine} budget ${shortNumber(budget)}`]),
  ];
  const lines: string[] = [];
  for (const word of words) {
    const longer = lines.length === 0 ? '' : `${lines.at(-1)}  ${word}`;
    if (longer !== '' && longer.length <= columns - marginColumns) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.map((line) => `${' '.repeat(marginColumns)}${line}`).join('\n');
}
