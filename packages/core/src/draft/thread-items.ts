import type { MessageEntry } from '../journal/entry.ts';
import { tokensOfEntry } from '../tokens/model-counter.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import type { Seq } from '../units.ts';
import type { Item } from './draft.ts';
import { isAnswer, isHalfAnswer } from './half-answer.ts';
import type { Thread, ThreadMessage } from './thread.ts';
import { isInWords } from './user-words.ts';

/** The items of a thread, one for each of its messages. */
export interface ThreadItems {
  readonly thread: Thread;
  readonly items: readonly Item[];
  /** True when a person said something: then nothing else counts as the user's words. */
  readonly isSpoken: boolean;
}

const noItems: Omit<ThreadItems, 'thread'> = { items: [], isSpoken: false };

/**
 * Makes items of a thread: each with its size, whether it belongs to the running turn, and whether the model has seen it.
 *
 * @param before  The items of the thread that this one has grown out of: those of its settled messages are taken over.
 */
export function itemsOf(
  thread: Thread,
  { counter, before }: { readonly counter: TokenCounter; readonly before: ThreadItems | null },
): ThreadItems {
  const { messages } = thread;
  const settled = before?.thread.settled.messages ?? 0;
  const { items: known, isSpoken: wasSpoken } = before ?? noItems;
  const isSpoken = wasSpoken || messages.slice(settled).some(({ entry }) => entry !== null && isInWords(entry));
  const makeItem = itemMaker(messages, { counter, isSpoken });
  const kept = isSpoken === wasSpoken ? unchangedUpTo(known, settled) : 0;
  const items = known.slice(0, kept);
  for (let index = kept; index < messages.length; index += 1) {
    items.push(makeItem(index, index < settled ? known[index] : undefined));
  }
  return { thread, items, isSpoken };
}

/** Items before the running turn, and before what the model has not seen, stay as they are whatever comes. */
function unchangedUpTo(items: readonly Item[], settled: number): number {
  let end = settled;
  for (let index = settled - 1; index >= 0; index -= 1) {
    const { live, unread, message } = items[index] as Item;
    // What stands before an answer was read, unless it is of the running turn itself.
    if (!live && isAnswer(message)) break;
    if (live || unread) end = index;
  }
  return end;
}

/** Makes the item of a message by its index; of a settled message there is one already, whose size still holds. */
function itemMaker(
  messages: readonly ThreadMessage[],
  { counter, isSpoken }: { readonly counter: TokenCounter; readonly isSpoken: boolean },
): (index: number, known: Item | undefined) => Item {
  const lastAnswer = messages.findLastIndex(({ message }) => isAnswer(message));
  const isSaid = ({ entry }: ThreadMessage): boolean => entry !== null && countsAsSaid(entry, isSpoken);
  const liveFrom = startOfLive(messages, isSaid);
  const seen = new Map<Seq, number>();
  return (index, known) => {
    const one = messages[index] as ThreadMessage;
    const flags = {
      live: index >= liveFrom,
      unread: one.message.role === 'tool' && index > lastAnswer,
      said: isSaid(one),
    };
    if (known !== undefined) return sameFlags(known, flags) ? known : Object.freeze({ ...known, ...flags });
    const { entry, group, message, partIndexes, whole } = one;
    return Object.freeze({
      id: itemId(one, seen),
      groupId: `#${group}`,
      seq: entry?.seq ?? null,
      entryId: entry?.id ?? null,
      message,
      partIndexes,
      tokens: whole && entry !== null ? tokensOfEntry(entry, counter) : counter.countMessage(message),
      ...flags,
      protected: false,
      note: null,
    });
  };
}

function sameFlags(item: Item, flags: Pick<Item, 'live' | 'unread' | 'said'>): boolean {
  return item.live === flags.live && item.unread === flags.unread && item.said === flags.said;
}

/**
 * The user's own words; what a program put in the user's place, such as an observation or an event, where no person said
 * anything. A result without a call, which stands on the user's side too, never is.
 */
function countsAsSaid(entry: MessageEntry, isSpoken: boolean): boolean {
  if (entry.message.role !== 'user') return false;
  return isSpoken ? isInWords(entry) : true;
}

/**
 * The first words of the newest run of user messages: the running turn is that and all behind it. Half an answer among
 * them has answered none.
 */
function startOfLive(messages: readonly ThreadMessage[], isSaid: (message: ThreadMessage) => boolean): number {
  let start = messages.length;
  for (let index = messages.findLastIndex(isSaid); index >= 0; index -= 1) {
    const one = messages[index] as ThreadMessage;
    if (one.message.role !== 'user' && !isHalfAnswer(one.message)) break;
    if (isSaid(one)) start = index;
  }
  return start;
}

/** `#12`, and `#12.2` for a second message of the entry; an entry that is settled does not come again. */
function itemId({ entry, group }: ThreadMessage, seen: Map<Seq, number>): string {
  if (entry === null) return `#${group}:open`;
  const copies = (seen.get(entry.seq) ?? 0) + 1;
  seen.set(entry.seq, copies);
  return copies === 1 ? `#${entry.seq}` : `#${entry.seq}.${copies}`;
}
