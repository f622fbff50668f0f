import type { Budget } from '../budget.ts';
import { renderDigest } from '../digest/render-digest.ts';
import type { AppliedEdit, MessageEntry, Verdict } from '../journal/entry.ts';
import type { Folded } from '../journal/fold.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import type { Seq } from '../units.ts';
import type { Draft, Item } from './draft.ts';
import { createDraft } from './draft-operations.ts';
import { createLayer, type Layer } from './layer.ts';
import { closePairs, type ThreadMessage } from './thread.ts';
import { isInWords } from './user-words.ts';

/**
 * The draft that an assembly starts from: system messages, the summary of the visible compaction, the messages that
 * stay with their pairs closed and their edits shown, and the state slots.
 */
export function firstDraft(
  folded: Folded,
  { budget, counter }: { readonly budget: Budget; readonly counter: TokenCounter },
): Draft {
  const entries = [...folded.held, ...folded.messages];
  const isSystem = (entry: MessageEntry): boolean => entry.message.role === 'system';
  const thread = closePairs(
    entries.filter((entry) => !isSystem(entry)),
    folded.edits,
  );
  const verdicts = new Map<Seq, Verdict>();
  for (const { entry, rule } of thread.leftOut) verdicts.set(entry.seq, { kind: 'dropped', rule, by: 'core' });
  for (const { entry, rules } of thread.messages) {
    const verdict = entry === null ? null : verdictOf(folded.edits.get(entry.id) ?? [], rules);
    if (entry !== null && verdict !== null) verdicts.set(entry.seq, verdict);
  }
  const words = wordsOf(thread.messages);
  return createDraft({
    items: itemsOf(thread.messages, { words, counter }),
    words,
    layers: [
      ...systemLayers(entries.filter(isSystem), counter),
      ...summaryLayers(folded, counter),
      ...stateLayers(folded, counter),
    ],
    verdicts,
    stickyEdits: [],
    budget,
    counter,
    actor: 'core',
    assembly: {},
  });
}

/** What was done to an entry: by the newest edit, else by closing pairs. */
function verdictOf(edits: readonly AppliedEdit[], rules: readonly string[]): Verdict | null {
  const edit = edits.at(-1);
  if (edit !== undefined) return { kind: edit.verdict ?? 'edited', rule: edit.rule, by: edit.by };
  const rule = rules[0];
  return rule === undefined ? null : { kind: 'edited', rule, by: 'core' };
}

function itemsOf(
  messages: readonly ThreadMessage[],
  { words, counter }: { readonly words: ReadonlySet<Seq>; readonly counter: TokenCounter },
): readonly Item[] {
  const lastAssistant = messages.findLastIndex(({ message }) => message.role === 'assistant');
  const liveFrom = startOfLive(messages, words);
  const groupIds = new Map<number, string>();
  const seen = new Map<Seq, number>();
  return messages.map(({ entry, group, message, partIndexes, whole }, index) => {
    const id = itemId(entry, { seen, group: groupIds.get(group) });
    if (!groupIds.has(group)) groupIds.set(group, id);
    return {
      id,
      groupId: groupIds.get(group) ?? id,
      seq: entry?.seq ?? null,
      entryId: entry?.id ?? null,
      message,
      partIndexes,
      tokens: whole && entry?.tokens.by === counter.id ? entry.tokens.n : counter.countMessage(message),
      live: index >= liveFrom,
      unread: message.role === 'tool' && index > lastAssistant,
      protected: false,
    };
  });
}

/**
 * What a person said. What a program put in the person's place, such as an observation or an event, counts only where
 * no person said anything; a result without a call, which stands on the user's side too, never does.
 */
function wordsOf(messages: readonly ThreadMessage[]): ReadonlySet<Seq> {
  const given = messages.flatMap(({ entry }) => (entry?.message.role === 'user' ? [entry] : []));
  const said = given.filter(isInWords);
  return new Set((said.length === 0 ? given : said).map(({ seq }) => seq));
}

/** The first words of the newest run of user messages: the running turn is that and all behind it. */
function startOfLive(messages: readonly ThreadMessage[], words: ReadonlySet<Seq>): number {
  let start = messages.length;
  const isInWordsAt = (index: number): boolean => words.has(messages[index]?.entry?.seq ?? 0);
  const newest = messages.findLastIndex((_, index) => isInWordsAt(index));
  for (let index = newest; messages[index]?.message.role === 'user'; index -= 1) {
    if (isInWordsAt(index)) start = index;
  }
  return start;
}

function itemId(
  entry: MessageEntry | null,
  { seen, group }: { readonly seen: Map<Seq, number>; readonly group: string | undefined },
): string {
  if (entry === null) return `${group ?? '#0'}:open`;
  const copies = (seen.get(entry.seq) ?? 0) + 1;
  seen.set(entry.seq, copies);
  return copies === 1 ? `#${entry.seq}` : `#${entry.seq}.${copies}`;
}

function systemLayers(entries: readonly MessageEntry[], counter: TokenCounter): readonly Layer[] {
  if (entries.length === 0) return [];
  const items = entries.map(({ message }) => ({ text: typeof message.content === 'string' ? message.content : '' }));
  const spec = { id: 'system', role: 'system', stability: 'static', heading: '', priority: Infinity, items } as const;
  return [createLayer(spec, { counter, by: 'core', rule: 'system-message' })];
}

function summaryLayers({ compaction }: Folded, counter: TokenCounter): readonly Layer[] {
  if (compaction === null) return [];
  const { digest, prose, range, instructions } = compaction;
  const text = renderDigest({ digest, prose, counter, instructions, range: { fromSeq: 1, toSeq: range.to.seq } });
  const spec = {
    id: 'summary',
    role: 'user',
    stability: 'session',
    heading: '',
    priority: Infinity,
    items: [{ text }],
  } as const;
  return [createLayer(spec, { counter, by: 'core', rule: 'compaction' })];
}

function stateLayers({ state }: Folded, counter: TokenCounter): readonly Layer[] {
  const items = Object.keys(state.slots)
    .sort()
    .flatMap((slot) => {
      const text = state.slots[slot]?.[0]?.text ?? null;
      return text === null ? [] : [{ text: `${slot}: ${text}` }];
    });
  if (items.length === 0) return [];
  const spec = {
    id: 'state',
    role: 'user',
    stability: 'volatile',
    heading: 'State',
    priority: Infinity,
    items,
  } as const;
  return [createLayer(spec, { counter, by: 'core', rule: 'state' })];
}
