import { basename } from 'node:path';
import type { createColors } from 'picocolors';
import { counted, longNumber, percent, shortNumber } from '../terminal/format-number.ts';
import { plainTable } from '../terminal/plain-table.ts';
import { printableText } from '../terminal/printable-text.ts';
import type { ComparedReplay, Comparison } from './compare.ts';

/** How a comparison is printed. */
export interface CompareTableOptions {
  readonly colours: ReturnType<typeof createColors>;
}

const head = ['strategy', 'tokens', 'cost', 'of all', '', 'hit', 'comp.', 'lost', 'ids', '', 'lines', 'words'] as const;
const left = [0, 4, 9] as const;
const barCharacters = 8;

/** A table for each file, a line for each strategy, with bars for what it cost and what it kept. */
export function compareTable(comparison: Comparison, { colours }: CompareTableOptions): string {
  const files = [...new Set(comparison.replays.map(({ file }) => file))];
  const tables = files.map((file) => {
    const replays = comparison.replays.filter((replay) => replay.file === file);
    const [first] = replays;
    const { requests = 0, retention } = first ?? {};
    const title = `${printableText(basename(file))}: ${counted(requests, 'request')}, ${budgetText(comparison)}, ${counted(retention?.steps ?? 0, 'step')} with far needs`;
    const rows = replays.map((replay) => row(replay, colours));
    return [colours.bold(title), plainTable({ head, rows, left }), ...failures(replays).map(colours.red)].join('\n');
  });
  return [...tables, comparison.replays.length === 0 ? '' : legend].filter((part) => part !== '').join('\n\n');
}

const legend = [
  'tokens  of a request, on average        cost   in input-token equivalents; "of all" beside sending everything',
  'hit     read from the prompt cache      lost   messages that were left out without a summary',
  'ids     identifiers that the next answer used, last seen 4k tokens before or earlier, and still in the prompt',
  'lines   the same, with a line that they stood in      words   sentences of the user, word for word',
].join('\n');

function budgetText({ budget }: Comparison): string {
  return budget === null ? 'no budget' : `budget ${longNumber(budget)} tokens`;
}

function row(replay: ComparedReplay, colours: CompareTableOptions['colours']): readonly string[] {
  const { strategy, tokens, cost, costRatio, hitRate, compactions, dropped, retention } = replay;
  const { identifiers, lines, userWords } = retention;
  return [
    printableText(strategy),
    shortNumber(tokens),
    shortNumber(cost),
    costRatio === null ? '–' : costRatio.toFixed(2),
    colours.yellow(bar(costRatio)),
    percent(hitRate),
    longNumber(compactions),
    longNumber(dropped),
    share(identifiers),
    colours.green(bar(identifiers)),
    share(lines),
    share(userWords),
  ];
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
