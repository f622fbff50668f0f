import type { Explanation } from '@varve/core';
import type { createColors } from 'picocolors';
import type { PlacedEntry } from '../store/journal-places.ts';
import { cutLine } from '../terminal/cut-line.ts';
import { counted, longNumber } from '../terminal/format-number.ts';
import { plainTable } from '../terminal/plain-table.ts';
import { printableText } from '../terminal/printable-text.ts';
import type { RequestDiff } from './diff-requests.ts';
import { entryText, type VerdictRun, verdictRuns, verdictText, verdictTotals } from './verdict-runs.ts';

/** How an explanation is printed. */
export interface ExplainReportOptions {
  /** A line an entry, also where the verdict repeats. */
  readonly all: boolean;
  readonly columns: number;
  readonly colours: ReturnType<typeof createColors>;
}

/** An explanation whose entries have their keys. */
type PlacedExplanation = Omit<Explanation, 'entries'> & { readonly entries: readonly PlacedEntry[] };

/** Keys are shown where there is room for them, and up to this length. */
const columnsForKeys = 120;
const longestKey = 20;

/** Why each entry is, or is not, in a request: one verdict an entry, and totals. */
export function explainReport(explanation: PlacedExplanation, options: ExplainReportOptions): string {
  const { entries, layers, notes } = explanation;
  const hasKeys = options.columns >= columnsForKeys || entries.length === 1;
  const showsKeys = hasKeys && entries.some(({ key }) => key !== undefined);
  const rows = verdictRuns(entries, options).map((run) => {
    const row = runRow(run, options);
    return showsKeys ? row.toSpliced(4, 0, keyOf(run)) : row;
  });
  const head = ['entry', 'role', 'tokens', 'verdict', ...(showsKeys ? ['key'] : []), 'begins'];
  const table = plainTable({
    head: head.map((text) => options.colours.dim(text)),
    rows,
    left: [0, 1, 3, 4, 5],
    columns: options.columns,
  });
  const totals = verdictTotals(entries).map(
    (total) =>
      `${printableText(total.verdict)} ${counted(total.entries, 'message')} (${longNumber(total.tokens)} tokens)`,
  );
  const layerText = layers.map(({ id, tokens }) => `${printableText(id)} ${longNumber(tokens)}`).join(', ');
  return [
    options.colours.bold(titleOf(explanation)),
    ...(layers.length === 0 ? [] : [`layers: ${layerText} tokens`]),
    ...noteLines(notes, options),
    '',
    table,
    '',
    ...(hasGap(entries) ? [options.colours.dim(gapNote)] : []),
    totals.join(', '),
  ].join('\n');
}

/** One note is a line; of several there is the sum, and with `all` a line each. */
function noteLines(notes: PlacedExplanation['notes'], { all }: ExplainReportOptions): readonly string[] {
  if (all || notes.length <= 1) return notes.map((note) => `notes: ${noteText(note)} tokens`);
  const plugins = [...new Set(notes.map(({ by }) => printableText(by)))].join(', ');
  const tokens = notes.reduce((sum, note) => sum + note.tokens, 0);
  return [`notes: ${counted(notes.length, 'note')} of ${plugins}, ${longNumber(tokens)} tokens; --all lists them`];
}

function noteText({ by, id, afterSeq, tokens }: PlacedExplanation['notes'][number]): string {
  return `${printableText(`${by}:${id}`)} behind #${afterSeq} ${longNumber(tokens)}`;
}

const gapNote = 'Numbers missing in between are entries that are no messages: requests, compactions, edits, settings.';

function hasGap(entries: readonly PlacedEntry[]): boolean {
  return entries.some(({ seq }, index) => index > 0 && seq !== (entries[index - 1]?.seq ?? 0) + 1);
}

/** The key of an entry, or of the first and the last of a run. */
function keyOf({ entries }: VerdictRun<PlacedEntry>): string {
  const ends = entries.length === 1 ? [entries[0]] : [entries[0], entries.at(-1)];
  return cutLine(ends.map((entry) => entry?.key ?? '').join('–'), longestKey);
}

function titleOf({ request, tokens, budget, model, firstChangedByte }: PlacedExplanation): string {
  const limit = budget === null ? '' : ` of ${longNumber(budget)}`;
  const changed = firstChangedByte === null ? '' : `; first changed byte ${longNumber(firstChangedByte)}`;
  const name = request === 0 ? 'No request was made yet; the first one' : `Request ${request}`;
  return `${name}: ${longNumber(tokens)}${limit} tokens for ${printableText(model)}${changed}`;
}

function runRow(
  { fromSeq, toSeq, entries, tokens }: VerdictRun<PlacedEntry>,
  { colours }: ExplainReportOptions,
): string[] {
  const [first] = entries;
  if (first === undefined) return [];
  const verdict = colourOf(first, colours)(printableText(entryText(first)));
  if (entries.length === 1)
    return [`#${fromSeq}`, first.role, longNumber(tokens), verdict, printableText(first.preview.trimStart())];
  return [`#${fromSeq}–#${toSeq}`, counted(entries.length, 'msg'), longNumber(tokens), verdict, rolesOf(entries)];
}

function rolesOf(entries: readonly PlacedEntry[]): string {
  const roles = new Map<string, number>();
  for (const { role } of entries) roles.set(role, (roles.get(role) ?? 0) + 1);
  return [...roles].map(([role, count]) => `${count} ${role}`).join(', ');
}

function colourOf({ verdict }: PlacedEntry, colours: ExplainReportOptions['colours']): (text: string) => string {
  if (verdict.kind === 'kept') return colours.green;
  return verdict.kind === 'dropped' ? colours.red : colours.yellow;
}

/** What differs between two requests. */
export function diffReport(diff: RequestDiff, options: ExplainReportOptions): string {
  const { earlier, later, tokens, layers, entries, arrived } = diff;
  const rows = entries.map(({ seq, role, preview, ...verdicts }) => [
    `#${seq}`,
    role,
    printableText(verdictText({ verdict: verdicts.earlier })),
    printableText(verdictText({ verdict: verdicts.later })),
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
  return [
    options.colours.bold(
      `Requests ${earlier} and ${later}: ${longNumber(tokens.earlier)} and ${longNumber(tokens.later)} tokens`,
    ),
    `${counted(arrived, 'message')} arrived, ${counted(entries.length, 'verdict')} changed`,
    ...layers.map(
      (layer) => `layer ${printableText(layer.id)}: ${longNumber(layer.earlier)} → ${longNumber(layer.later)} tokens`,
    ),
    ...(earlier === later ? [] : [firstChangeText(diff)]),
    ...(entries.length === 0 ? [] : ['', table]),
  ].join('\n');
}

/** Requests are recorded against the one before: of several, the smallest byte is what a cache felt. */
function firstChangeText({ earlier, later, firstChange }: RequestDiff): string {
  const isNext = later === earlier + 1;
  const what = isNext
    ? `first byte of request ${later} that differs from request ${earlier}`
    : `smallest first changed byte in requests ${earlier + 1} to ${later}, each against the one before`;
  if (firstChange === null) return `${what}: none: ${isNext ? 'it' : 'each'} only grew`;
  const byte = longNumber(firstChange.byte);
  return isNext ? `${what}: ${byte}` : `${what}: ${byte}, in request ${firstChange.request}`;
}
