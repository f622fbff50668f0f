import type { Budget } from '../budget.ts';
import type { AppliedEdit, MessageEntry, Verdict } from '../journal/entry.ts';
import type { Folded } from '../journal/fold.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import type { Seq } from '../units.ts';
import { stateLayers, summaryLayers, systemLayers } from './core-layers.ts';
import type { Draft } from './draft.ts';
import { createDraft } from './draft-operations.ts';
import { itemOfNote } from './note-item.ts';
import { endOf, placeNotes } from './place-notes.ts';
import { closePairs, type Thread } from './thread.ts';
import { itemsOf, type ThreadItems } from './thread-items.ts';

/**
 * The draft that an assembly starts from: system messages, the summary of the visible compaction, the messages that
 * stay with their pairs closed and their edits shown, the notes in force, and the state slots. Of a conversation that has grown only what
 * came since is worked out.
 */
export function firstDraft(
  folded: Folded,
  { budget, counter }: { readonly budget: Budget; readonly counter: TokenCounter },
): Draft {
  const grown = grow(folded, counter);
  const { items } = grown.made;
  return createDraft({
    items: placeNotes(
      items,
      folded.notes.map((note) => itemOfNote(note, counter)),
    ),
    endSeq: endOf(items),
    leftOutNotes: [],
    layers: [
      ...systemLayers(grown.system, counter),
      ...summaryLayers(folded.compaction, counter),
      ...stateLayers(folded.state.slots, counter),
    ],
    verdicts: verdictsOf(grown.made.thread, folded.edits),
    stickyEdits: [],
    budget,
    counter,
    actor: 'core',
    assembly: {},
  });
}

/** What the first draft of a fold was made of. */
interface Grown extends Pick<Folded, 'held' | 'messages'> {
  readonly counter: TokenCounter;
  readonly system: readonly MessageEntry[];
  readonly conversation: readonly MessageEntry[];
  readonly made: ThreadItems;
}

/** The newest draft of each set of edits: a fold keeps its set as long as nothing but its end changes. */
const newest = new WeakMap<Folded['edits'], Grown>();

function grow(folded: Folded, counter: TokenCounter): Grown {
  const { held, messages, edits } = folded;
  const known = newest.get(edits);
  const before = known !== undefined && hasGrownOutOf(folded, known) && known.counter === counter ? known : null;
  // Copied first: parts of a frozen list take many times as long.
  const added = before === null ? [...held, ...messages] : [...messages].slice(before.messages.length);
  if (before !== null && added.length === 0) return before;
  const isSystem = (entry: MessageEntry): boolean => entry.message.role === 'system';
  const conversation = [...(before?.conversation ?? []), ...added.filter((entry) => !isSystem(entry))];
  const thread = closePairs(conversation, edits, before?.made.thread);
  const grown = {
    held,
    messages,
    counter,
    system: [...(before?.system ?? []), ...added.filter(isSystem)],
    conversation,
    made: itemsOf(thread, { counter, before: before?.made ?? null }),
  };
  newest.set(edits, grown);
  return grown;
}

function hasGrownOutOf({ held, messages }: Folded, before: Grown): boolean {
  const last = before.messages.length - 1;
  return (
    held === before.held &&
    messages.length > last &&
    messages[0] === before.messages[0] &&
    messages[last] === before.messages[last]
  );
}

/** What was done to entries: what is left out, the newest edit, else what closing pairs did. */
function verdictsOf({ changed, leftOut }: Thread, edits: Folded['edits']): ReadonlyMap<Seq, Verdict> {
  const verdicts = new Map<Seq, Verdict>();
  for (const { entry, rules } of changed) {
    const rule = rules[0] ?? '';
    if (entry !== null) verdicts.set(entry.seq, { kind: 'edited', rule, by: 'core' });
  }
  for (const made of edits.values()) {
    const edit = made.at(-1);
    if (edit !== undefined) verdicts.set(edit.seq, verdictOf(edit));
  }
  for (const { entry, rule } of leftOut) verdicts.set(entry.seq, { kind: 'dropped', rule, by: 'core' });
  return verdicts;
}

function verdictOf({ verdict, rule, by }: AppliedEdit): Verdict {
  return { kind: verdict ?? 'edited', rule, by };
}
