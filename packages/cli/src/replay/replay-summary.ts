import type { createColors } from 'picocolors';
import { counted, longNumber, megabytes, percent, shortNumber } from '../terminal/format-number.ts';
import { printableText } from '../terminal/printable-text.ts';
import type { Replay } from './replay.ts';
import type { ReplayTotals } from './replay-totals.ts';

/** How a summary is printed. */
export interface SummaryOptions {
  readonly colours: ReturnType<typeof createColors>;
  /** The folder in which the journals stay, if they do. */
  readonly root?: string | undefined;
}

/** The lines that close a replay: what was done, what a cache made of it, what it cost, and what failed. */
export function replaySummary(replay: Replay, { colours, root }: SummaryOptions): string {
  const { totals, run } = replay;
  const lines: readonly (readonly [name: string, text: string])[] = [
    ['file', `${printableText(replay.file)} (${replay.format})`],
    ['replayed', replayedText(replay)],
    ['done', doneText(replay)],
    ...damagedLines(totals),
    ['cache', cacheText(totals)],
    ...recordedLines(totals),
    ['cost', costText(totals)],
    ...(root === undefined ? [] : keptLines(replay, root)),
    ['run', `${(run.wallMs / 1_000).toFixed(1)} s, peak memory ${megabytes(run.peakMemoryBytes)}`],
  ];
  const body = lines.map(([name, text]) => `${colours.bold(name.padEnd(10))}${text}`);
  return [...body, ...failures(replay).map((line) => colours.red(line))].join('\n');
}

function keptLines({ sessions }: Replay, root: string): [string, string][] {
  const [first] = sessions;
  if (first === undefined) return [];
  const others = sessions.length > 1 ? `, and ${longNumber(sessions.length - 1)} more` : '';
  return [
    [
      'journal',
      `"${printableText(first.session)}" in "${printableText(root)}"${others}; varve explain reads it with --root`,
    ],
  ];
}

function replayedText({ entries, requests, sessions, interrupted, settings }: Replay): string {
  const { budget, systemTokens, plugins } = settings;
  const names = plugins.map((plugin) => printableText(plugin.split('@')[0] ?? '')).join(', ');
  return [
    counted(requests.length, 'request'),
    counted(entries, 'message'),
    ...(sessions.length > 1 ? [counted(sessions.length, 'conversation')] : []),
    budget === null ? 'no budget' : `budget ${longNumber(budget)} tokens`,
    ...(systemTokens > 0 ? [`${longNumber(systemTokens)} of them system`] : []),
    names === '' ? 'no plugins' : `with ${names}`,
    ...(interrupted ? ['stopped before the end'] : []),
  ].join(', ');
}

function doneText({ totals }: Replay): string {
  const { compactions, edits, dropped, emptyMessages, invalid, failed } = totals;
  return [
    counted(compactions, 'compaction'),
    counted(edits, 'edit'),
    `${longNumber(dropped)} ${dropped === 1 ? 'entry' : 'entries'} dropped`,
    ...(emptyMessages > 0 ? [`${counted(emptyMessages, 'empty message')} not sent`] : []),
    `${longNumber(invalid)} invalid`,
    ...(failed > 0 ? [`${longNumber(failed)} failed`] : []),
  ].join(', ');
}

function damagedLines({ damaged }: ReplayTotals): [string, string][] {
  if (damaged === 0) return [];
  const what = `${counted(damaged, 'line')} of the file could not be read, or only in part`;
  return [['damaged', `${what}; the others were replayed`]];
}

function cacheText({ hitRate, cacheRead, cacheWrite, uncached }: ReplayTotals): string {
  return `${percent(hitRate)} hit rate: ${tokens({ read: cacheRead, written: cacheWrite, 'not cached': uncached })}`;
}

function recordedLines({ recorded, recordedCompactions, untilCompaction }: ReplayTotals): [string, string][] {
  if (recorded === undefined) return [];
  const { hitRate, cacheRead, cacheWrite, input } = recorded;
  const all = `${percent(hitRate)} hit rate: ${tokens({ read: cacheRead, written: cacheWrite, 'not cached': input })}`;
  const before = `${percent(recorded.untilCompaction.hitRate)}, here ${percent(untilCompaction.hitRate)}`;
  return [
    ['recorded', all],
    ...(recordedCompactions > 0 ? ([['', `before its own first compaction ${before}`]] as [string, string][]) : []),
  ];
}

function tokens(parts: Readonly<Record<string, number>>): string {
  return Object.entries(parts)
    .map(([name, value]) => `${shortNumber(value)} ${name}`)
    .join(', ');
}

function costText({ cost, everything, costRatio }: ReplayTotals): string {
  const against = `sending everything ${shortNumber(everything.cost)} at a hit rate of ${percent(everything.hitRate)}`;
  const ratio = costRatio === null ? '' : `: ${costRatio.toFixed(2)} of it`;
  return `${shortNumber(cost)} input-token equivalents; ${against}${ratio}`;
}

/** One line for each kind of failure; none when all went well. */
function failures({ totals, health, requests }: Replay): readonly string[] {
  const { failed, refused, invalid } = totals;
  const invalidRow = requests.find((row) => row.invalid !== undefined);
  return [
    ...(failed > 0 ? [`${counted(failed, 'request')} could not be made within the budget.`] : []),
    ...(refused > 0 ? [`${counted(refused, 'message')} could not be stored.`] : []),
    ...(invalid > 0
      ? [
          `${counted(invalid, 'request')} would be refused; turn ${invalidRow?.turn}: ${printableText(invalidRow?.invalid ?? '')}`,
        ]
      : []),
    ...health.findings.map(({ name, where, failures: times, lastError }) => {
      return printableText(`"${name}" failed ${counted(times, 'time')} in ${where}: ${lastError}`);
    }),
  ];
}
