import type { EntryExplanation, Explanation } from '@varve/core';
import type { createColors } from 'picocolors';
import type { RequestDiff } from './diff-requests.ts';
import { counted, longNumber } from './format-number.ts';
import { plainTable } from './plain-table.ts';
import { printableText } from './printable-text.ts';
import { type VerdictRun, verdictRuns, verdictText, verdictTotals } from './verdict-runs.ts';

/** How an explanation is printed. */
export interface ExplainReportOptions {
  /** A line an entry, also where the verdict repeats. */
  readonly all: boolean;
  readonly columns: number;
  readonly colours: ReturnType<typeof createColors>;
}

/** Why each entry is, or is not, in a request: one verdict an entry, and totals. */
export function explainReport(explanation: Explanation, options: ExplainReportOptions): string {
  const { entries, layers } = explanation;
  const rows = verdictRuns(entries, options).map((run) => runRow(run, options));
  const table = plainTable({
    head: ['entry', 'role', 'tokens', 'verdict', 'begins'].map((text) => options.colours.dim(text)),
    rows,
    left: [0, 1, 3, 4],
    columns: options.columns,
  });
  const totals = verdictTotals(entries).map(
    (total) => `${total.verdict} ${counted(total.entries, 'message')} (${longNumber(total.tokens)} tokens)`,
  );
  const layerText = layers.map(({ id, tokens }) => `${id} ${longNumber(tokens)}`).join(', ');
  return [
    options.colours.bold(titleOf(explanation)),
    ...(layers.length === 0 ? [] : [`layers: ${layerText} tokens`]),
    '',
    table,
    '',
    totals.join(', '),
  ].join('\n');
}

function titleOf({ request, tokens, budget, model, firstChangedByte }: Explanation): string {
  const limit = budget === null ? '' : ` of ${longNumber(budget)}`;
  const changed = firstChangedByte === null ? '' : `; first changed byte ${longNumber(firstChangedByte)}`;
  return `Request ${request}: ${longNumber(tokens)}${limit} tokens for ${printableText(model)}${changed}`;
}

function runRow({ fromSeq, toSeq, entries, tokens }: VerdictRun, { colours }: ExplainReportOptions): string[] {
  const [first] = entries;
  if (first === undefined) return [];
  const verdict = colourOf(first, colours)(verdictText(first));
  if (entries.length === 1)
    return [`#${fromSeq}`, first.role, longNumber(tokens), verdict, printableText(first.preview.trimStart())];
  return [`#${fromSeq}–#${toSeq}`, counted(entries.length, 'msg'), longNumber(tokens), verdict, rolesOf(entries)];
}

function rolesOf(entries: readonly EntryExplanation[]): string {
  const roles = new Map<string, number>();
  for (const { role } of entries) roles.set(role, (roles.get(role) ?? 0) + 1);
  return [...roles].map(([role, count]) => `${count} ${role}`).join(', ');
}

function colourOf({ verdict }: EntryExplanation, colours: ExplainReportOptions['colours']): (text: string) => string {
  if (verdict.kind === 'kept') return colours.green;
  return verdict.kind === 'dropped' ? colours.red : colours.yellow;
}

/** What differs between two requests. */
export function diffReport(diff: RequestDiff, options: ExplainReportOptions): string {
  const { earlier, later, tokens, layers, entries, arrived, firstChangedByte } = diff;
  const rows = entries.map(({ seq, role, preview, ...verdicts }) => [
    `#${seq}`,
    role,
    verdictText({ verdict: verdicts.earlier }),
    verdictText({ verdict: verdicts.later }),
    printableText(preview.trimStart()),
  ]);
  const table = plainTable({
    head: ['entry', 'role', `request ${earlier}`, `request ${later}`, 'begins'].map((text) =>
      options.colours.dim(text),
    ),
    rows,
    left: [0, 1, 2, 3, 4],
    columns: options.columns,
  });
  const bytes = firstChangedByte === null ? 'none: it only grew' : longNumber(firstChangedByte);
  return [
    options.colours.bold(
      `Requests ${earlier} and ${later}: ${longNumber(tokens.earlier)} and ${longNumber(tokens.later)} tokens`,
    ),
    `${counted(arrived, 'message')} arrived, ${counted(entries.length, 'verdict')} changed`,
    ...layers.map((layer) => `layer ${layer.id}: ${longNumber(layer.earlier)} → ${longNumber(layer.later)} tokens`),
    `first byte of request ${later} that differs from request ${later - 1}: ${bytes}`,
    ...(entries.length === 0 ? [] : ['', table]),
  ].join('\n');
}
