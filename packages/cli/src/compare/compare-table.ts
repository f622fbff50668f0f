import { basename } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { createColors } from 'picocolors';
import { counted, longNumber, percent, shortNumber } from '../terminal/format-number.ts';
import { plainTable } from '../terminal/plain-table.ts';
import { printableText } from '../terminal/printable-text.ts';
import type { ComparedReplay, Comparison } from './compare.ts';

/** How a comparison is printed. */
export interface CompareTableOptions {
  readonly colours: ReturnType<typeof createColors>;
  /** Characters that fit into a line: bars, and then columns, are left out until the table does. */
  readonly columns: number;
}

interface Column {
  readonly head: string;
  readonly text: (replay: ComparedReplay, colours: CompareTableOptions['colours']) => string;
  /** What it shows, where the head does not say so. */
  readonly legend?: string;
  /** The smaller, the sooner it yields where room is short. @default it stays */
  readonly rank?: number;
  readonly isLeft?: boolean;
}

const barCharacters = 8;

const allColumns: readonly Column[] = [
  { head: 'strategy', text: ({ strategy }) => printableText(strategy), isLeft: true },
  { head: 'tokens', text: ({ tokens }) => shortNumber(tokens), legend: 'size of a request, on average', rank: 6 },
  {
    head: 'cost',
    text: ({ cost }) => shortNumber(cost),
    legend: 'of all requests, in input-token equivalents',
    rank: 7,
  },
  {
    head: 'of all',
    text: ({ costRatio }) => (costRatio === null ? '–' : costRatio.toFixed(2)),
    legend: 'cost as a share of sending everything with every request',
  },
  { head: '', text: ({ costRatio }, colours) => colours.yellow(bar(costRatio)), rank: 1, isLeft: true },
  {
    head: 'hit',
    text: ({ hitRate }) => percent(hitRate),
    legend: 'share that was read from the prompt cache',
    rank: 4,
  },
  { head: 'comp.', text: ({ compactions }) => longNumber(compactions), legend: 'compactions', rank: 3 },
  {
    head: 'lost',
    text: ({ dropped }) => longNumber(dropped),
    legend: 'messages that a request left out, and no summary stood for',
    rank: 5,
  },
  {
    head: 'ids',
    text: ({ retention }) => share(retention.identifiers),
    legend:
      'identifiers that the next answer used and that were last seen 4k tokens\nbefore or earlier: those that were still in the prompt',
  },
  { head: '', text: ({ retention }, colours) => colours.green(bar(retention.identifiers)), rank: 2, isLeft: true },
  {
    head: 'lines',
    text: ({ retention }) => share(retention.lines),
    legend: 'of these, those with a line that they stood in',
  },
  {
    head: 'words',
    text: ({ retention }) => share(retention.userWords),
    legend: 'sentences of the user that were still there, word for word',
  },
];

/** A table for each file, a line for each strategy, with bars for what it cost and what it kept. */
export function compareTable(comparison: Comparison, options: CompareTableOptions): string {
  const { colours } = options;
  const { replays } = comparison;
  const files = [...new Set(replays.map(({ file }) => file))];
  const columns = fittingColumns(replays, options);
  const left = columns.flatMap(({ isLeft }, index) => (isLeft === true ? [index] : []));
  const tables = files.map((file) => {
    const own = replays.filter((replay) => replay.file === file);
    const rows = own.map((replay) => columns.map(({ text }) => text(replay, colours)));
    const table = plainTable({ head: columns.map(({ head }) => head), rows, left });
    const title = titleOf(file, { files, replay: own[0], comparison });
    return [colours.bold(title), table, ...failures(own).map(colours.red)].join('\n');
  });
  return [...tables, ...(replays.length === 0 ? [] : [legendOf(columns)])].join('\n\n');
}

/** Two files of one name are told apart by their paths. */
function titleOf(
  file: string,
  of: {
    readonly files: readonly string[];
    readonly replay: ComparedReplay | undefined;
    readonly comparison: Comparison;
  },
): string {
  const isUnique = of.files.filter((other) => basename(other) === basename(file)).length === 1;
  const { requests = 0, retention } = of.replay ?? {};
  const parts = [counted(requests, 'request'), budgetText(of.comparison), counted(retention?.steps ?? 0, 'step')];
  return `${printableText(isUnique ? basename(file) : file)}: ${parts.join(', ')} with far needs`;
}

/** The columns for which there is room, whatever the file: all tables have the same. */
function fittingColumns(replays: readonly ComparedReplay[], options: CompareTableOptions): readonly Column[] {
  const widthOf = ({ head, text }: Column): number => {
    const widths = replays.map((replay) => stripVTControlCharacters(text(replay, options.colours)).length);
    return Math.max(head.length, ...widths);
  };
  let shown = allColumns;
  const byRank = allColumns.filter(({ rank }) => rank !== undefined).sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0));
  for (const next of byRank) {
    const width = shown.reduce((sum, column) => sum + widthOf(column) + 1, -1);
    if (width <= options.columns) break;
    shown = shown.filter((column) => column !== next);
  }
  return shown;
}

function legendOf(columns: readonly Column[]): string {
  const indent = 8;
  return columns
    .flatMap(({ head, legend = '' }) => (legend === '' ? [] : [head.padEnd(indent) + legend]))
    .map((text) => text.replaceAll('\n', `\n${' '.repeat(indent)}`))
    .join('\n');
}

function budgetText({ budget }: Comparison): string {
  return budget === null ? 'no budget' : `budget ${longNumber(budget)} tokens`;
}

function share(value: number | null): string {
  return value === null ? '–' : percent(value);
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const;

/** A share of 1 as a bar; more than 1 is a full one. */
function bar(value: number | null): string {
  const units = Math.round(Math.min(1, value ?? 0) * barCharacters * 8);
  return `${'█'.repeat(Math.floor(units / 8))}${eighths[units % 8]}`.padEnd(barCharacters);
}

function failures(replays: readonly ComparedReplay[]): readonly string[] {
  return replays.flatMap(({ strategy, failed, invalid, health }) => [
    ...(failed > 0 ? [`${strategy}: ${counted(failed, 'request')} could not be made within the budget.`] : []),
    ...(invalid > 0 ? [`${strategy}: ${counted(invalid, 'request')} would be refused by the provider.`] : []),
    ...health.findings.map(({ name, where, failures: times, lastError }) =>
      printableText(`${strategy}: "${name}" failed ${counted(times, 'time')} in ${where}: ${lastError}`),
    ),
  ]);
}
