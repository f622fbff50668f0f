import type { JsonValue, Milliseconds, SessionRecord, Tokens } from '@varve/core';
import type { ListedSession } from '@varve/sessions';
import type { createColors } from 'picocolors';
import type { LastCompaction } from '../store/session-state.ts';
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
    readonly more: boolean;
  },
  { colours, columns }: { readonly colours: Colours; readonly columns: number },
): string {
  const { sessions, more } = found;
  if (sessions.length === 0) return nothingFound(found);
  const hasAgents = sessions.some(({ record }) => record.agentId !== 'main');
  const hasStates = sessions.some(({ record }) => record.state !== 'open');
  const head = [
    ...['session', ...(hasAgents ? ['agent'] : []), 'msgs', 'prompt', 'spent', 'updated (UTC)'],
    ...[...(hasStates ? ['state'] : []), 'key'],
  ];
  const rows = sessions.map(({ record: { sessionId, agentId, counters, updatedAt, state, key } }) => [
    ...[
      cutLine(sessionId, longestName),
      ...(hasAgents ? [cutLine(agentId, longestName)] : []),
      longNumber(counters.messages),
    ],
    ...[shortNumber(counters.totalTokens), shortNumber(spentIn(counters)), momentText(updatedAt)],
    ...[...(hasStates ? [state] : []), printableText(key ?? '')],
  ]);
  const numbers = ['msgs', 'prompt', 'spent'];
  const table = plainTable({
    head: head.map((text) => colours.dim(text)),
    rows,
    left: head.flatMap((text, index) => (numbers.includes(text) ? [] : [index])),
    columns,
  });
  const note = more ? `\n${colours.dim('There are more; --limit <number> lists more of them.')}` : '';
  return `${table}${note}`;
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
    ['journal', entries === null ? 'not readable here' : entryText(entries)],
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

function settingsText(settings: Readonly<Record<string, JsonValue>>): string {
  const texts = Object.entries(settings).map(([name, value]) => {
    return `${name} ${typeof value === 'string' ? value : printableJson(value)}`;
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
