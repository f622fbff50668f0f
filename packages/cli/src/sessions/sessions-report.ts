import { type JsonValue, type Milliseconds, readSendOverride, type SessionRecord, type Tokens } from '@varve/core';
import type { ListedSession } from '@varve/sessions';
import type { createColors } from 'picocolors';
import type { LastCompaction } from '../store/session-state.ts';
import { shortId } from '../store/short-id.ts';
import type { ShownSession } from '../store/show-session.ts';
import { cutLine } from '../terminal/cut-line.ts';
import { counted, longNumber, shortNumber } from '../terminal/format-number.ts';
import { momentText } from '../terminal/moment-text.ts';
import { plainTable } from '../terminal/plain-table.ts';
import { printableJson, printableText } from '../terminal/printable-text.ts';

type Colours = ReturnType<typeof createColors>;

/** Names are cut to this length where they stand in a table. */
const longestName = 36;

/** A row a session. */
export function sessionTable(
  found: {
    readonly root: string;
    /** Whether anything was ever stored there. */
    readonly hasStore: boolean;
    readonly sessions: readonly ListedSession[];
    /** Ids of those whose journals have more than their records count. */
    readonly behind: ReadonlySet<string>;
    /** Ids of those whose journals are packed. */
    readonly packed: ReadonlySet<string>;
    readonly more: boolean;
  },
  { colours, columns }: { readonly colours: Colours; readonly columns: number },
): string {
  const { sessions, behind, packed, more } = found;
  if (sessions.length === 0) return nothingFound(found);
  const shown = fittingColumns(sessions, { columns, behind, packed });
  const table = plainTable({
    head: shown.map(({ head }) => colours.dim(head)),
    rows: sessions.map(({ record }) => shown.map(({ text }) => text(record))),
    left: shown.flatMap(({ isNumber }, index) => (isNumber === true ? [] : [index])),
    columns,
  });
  const notes = [
    ...(behind.size > 0 ? ['+: behind its journal, as in a turn; varve sessions show counts all of it.'] : []),
    ...(more ? ['There are more; --limit <number> lists more of them.'] : []),
  ];
  return [table, ...notes.map((note) => colours.dim(note))].join('\n');
}

/** Ids of sessions of whose journals something is known. */
interface KnownOfJournals {
  readonly behind: ReadonlySet<string>;
  readonly packed: ReadonlySet<string>;
}

interface Column {
  readonly head: string;
  readonly text: (record: SessionRecord) => string;
  readonly isNumber?: boolean;
  /** What is left out first where there is no room has the greatest; without, it stays. */
  readonly spare?: number;
}

/** Less of a key says nothing. */
const leastKey = 20;

/** The columns for which there is room: rows do not wrap on a narrow terminal. */
function fittingColumns(
  sessions: readonly ListedSession[],
  { columns, ...journals }: { readonly columns: number } & KnownOfJournals,
): readonly Column[] {
  const records = sessions.map(({ record }) => record);
  let shown = columnsFor(records, { isTerminal: columns !== Infinity, ...journals });
  for (let spare = mostSpare; spare >= 1; spare -= 1) {
    const widths = shown.slice(0, -1).map(({ head, text }) => {
      return records.reduce((width, record) => Math.max(width, text(record).length), head.length);
    });
    if (widths.reduce((sum, width) => sum + width + 1, leastKey) <= columns) break;
    shown = shown.filter((column) => column.spare !== spare);
  }
  return shown;
}

const mostSpare = 4;

function columnsFor(
  records: readonly SessionRecord[],
  { isTerminal, behind, packed }: { readonly isTerminal: boolean } & KnownOfJournals,
): readonly Column[] {
  const name = (text: string): string => (isTerminal ? cutLine(text, longestName) : printableText(text));
  return [
    {
      head: 'session',
      text: ({ sessionId }) => (isTerminal ? cutLine(shortId(sessionId), longestName) : name(sessionId)),
    },
    ...(records.some(({ agentId }) => agentId !== 'main')
      ? [{ head: 'agent', text: ({ agentId }: SessionRecord) => name(agentId) }]
      : []),
    {
      head: 'msgs',
      isNumber: true,
      text: ({ sessionId, counters }) => `${longNumber(counters.messages)}${behind.has(sessionId) ? '+' : ''}`,
    },
    { head: 'prompt', isNumber: true, spare: 2, text: ({ counters }) => shortNumber(counters.totalTokens) },
    { head: 'spent', isNumber: true, spare: 4, text: ({ counters }) => shortNumber(spentIn(counters)) },
    { head: 'updated (UTC)', spare: 3, text: ({ updatedAt }) => momentText(updatedAt) },
    ...(records.some(({ state }) => state !== 'open')
      ? [
          {
            head: 'state',
            spare: 1,
            text: ({ sessionId, state }: SessionRecord) => (packed.has(sessionId) ? `${state}, packed` : state),
          },
        ]
      : []),
    { head: 'key', text: ({ key }) => printableText(key ?? '') },
  ];
}

function nothingFound({ root, hasStore }: { readonly root: string; readonly hasStore: boolean }): string {
  const where = printableText(root);
  return hasStore ? `No session in ${where} is what was asked for.` : `There is no store in ${where}.`;
}

/** Everything about one session. */
export function sessionReport(shown: ShownSession, { colours }: { readonly colours: Colours }): string {
  const { record, entries, settings, lastCompaction, generations } = shown;
  const { sessionId, agentId, key, state, channel, chatType, parentSessionKey, displayName, label } = record;
  const { messages, userMessages, requests, compactions, totalTokens, lastUserAt, spent } = record.counters;
  const lines: readonly (readonly [name: string, text: string | null])[] = [
    ['session', sessionId],
    ['key', key],
    ['name', displayName ?? label],
    ['agent', agentId],
    ['state', state],
    ['generation', generationText(shown, generations.length)],
    ['channel', channel === null ? null : [channel, chatType].filter((part) => part !== null).join(', ')],
    ['parent', parentSessionKey],
    ['created', momentText(record.createdAt)],
    ['updated', momentText(record.updatedAt)],
    ['messages', `${longNumber(messages)}, ${longNumber(userMessages)} of the user${since(lastUserAt)}`],
    ['requests', `${longNumber(requests)}, the last of ${longNumber(totalTokens)} tokens`],
    ['spent', spentText(spent)],
    ['journal', entries === null ? 'not readable here' : `${entryText(entries)}${shown.isPacked ? ', packed' : ''}`],
    [
      'compactions',
      `${longNumber(compactions)}${lastCompaction === null ? '' : `, ${compactionText(lastCompaction)}`}`,
    ],
    ['settings', settingsText(settings)],
    ['health', healthText(shown.health)],
  ];
  return lines
    .flatMap(([name, text]) => (text === null ? [] : [`${colours.bold(name.padEnd(12))}${printableText(text)}`]))
    .join('\n');
}

function generationText({ generation }: ShownSession, count: number): string | null {
  if (count < 2) return null;
  return `${generation === 'current' ? 'the current one' : generation === 'earlier' ? 'an earlier one' : 'not current'} of ${count}`;
}

function spentIn({ spent }: SessionRecord['counters']): Tokens {
  return spent.inputTokens + spent.outputTokens + spent.cacheReadTokens + spent.cacheWriteTokens;
}

function spentText({
  inputTokens,
  outputTokens,
  cacheReadTokens,
  cacheWriteTokens,
}: SessionRecord['counters']['spent']) {
  const parts = {
    input: inputTokens,
    output: outputTokens,
    'cache read': cacheReadTokens,
    'cache write': cacheWriteTokens,
  };
  const texts = Object.entries(parts).map(([name, tokens]) => `${longNumber(tokens)} ${name}`);
  return `${texts.join(', ')} tokens`;
}

function since(moment: Milliseconds | null): string {
  return moment === null ? '' : `, the last at ${momentText(moment)}`;
}

function entryText(entries: number): string {
  return entries === 1 ? '1 entry' : `${longNumber(entries)} entries`;
}

function compactionText({ seq, at, by, trigger, fromSeq, toSeq, tokensBefore, tokensAfter }: LastCompaction): string {
  const what = `the last is #${seq} of ${momentText(at)}, by ${by} (${trigger})`;
  return `${what}: #${fromSeq} to #${toSeq}, ${longNumber(tokensBefore)} to ${longNumber(tokensAfter)} tokens`;
}

/** Settings of the machinery, which nobody has set. */
const hidden: ReadonlySet<string> = new Set(['begun-by']);

function settingText(value: JsonValue): string | null {
  if (value === null) return null;
  return typeof value === 'string' ? value : printableJson(value);
}

/** What the owner has said of what may leave; `null` where rules decide. */
function sendText(value: JsonValue): string | null {
  const override = readSendOverride(value);
  if (override === null || override.mode === 'inherit') return null;
  const until = override.until === null ? '' : ` until ${momentText(override.until)}`;
  return `${override.mode === 'deny' ? 'off' : 'on'}${until}`;
}

function settingsText(settings: Readonly<Record<string, JsonValue>>): string {
  const texts = Object.entries(settings).flatMap(([name, value]) => {
    const text = name === 'send' ? sendText(value) : settingText(value);
    return text === null || hidden.has(name) ? [] : [`${name} ${text}`];
  });
  return texts.length === 0 ? 'none' : texts.join(', ');
}

function healthText({ ok, compaction, malformed }: ShownSession['health']): string {
  if (ok) return 'good';
  const texts = [
    ...(compaction?.isBlocked === true ? [`compaction is blocked for ${entryText(compaction.entriesToProbe)}`] : []),
    ...(compaction !== null && compaction.failures > 0
      ? [`${counted(compaction.failures, 'failure')}: ${compaction.why}`]
      : []),
    ...(malformed > 0 ? [`${counted(malformed, 'line')} of the journal: no entries as Varve writes them`] : []),
  ];
  return `${texts.join('; ')}; see varve doctor`;
}
