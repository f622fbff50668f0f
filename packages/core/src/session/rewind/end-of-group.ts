import { closePairs } from '../../draft/thread.ts';
import { type Branch, pathTo, stretchAt } from '../../journal/branch.ts';
import type { EntryRef, MessageEntry } from '../../journal/entry.ts';
import type { Journal } from '../../journal/store.ts';
import type { Seq, Ulid } from '../../units.ts';
import { type Compacted, firstNeeded } from './newest-compaction.ts';

/** Where entries stand in a journal, and what hides some of them. */
interface Surroundings {
  readonly journal: Journal;
  readonly branches: readonly Branch[];
  /** Those that nobody took back. */
  readonly compactions: readonly Compacted[];
}

/** The target, or the last message of the groups that go on behind it, on its branch. */
export async function endOfGroup({ id, seq }: EntryRef, around: Surroundings): Promise<EntryRef> {
  let last: EntryRef = { id, seq };
  let target = await endFrom(last, around);
  // Behind a compaction that it moves on past, results may belong to other calls.
  while (target.seq > last.seq) {
    last = target;
    target = await endFrom(target, around);
  }
  return target;
}

async function endFrom(target: EntryRef, { journal, branches, compactions }: Surroundings): Promise<EntryRef> {
  const { toSeq } = stretchAt(branches, target.seq);
  const isOnPath = pathTo(branches, toSeq);
  const fromSeq = firstNeeded(compactions, { branches, seq: target.seq });
  const messages = new Map<Ulid, MessageEntry>();
  for await (const entry of journal.read({ fromSeq, ...(toSeq === Infinity ? {} : { toSeq }) })) {
    if (entry.type === 'message' && isOnPath(entry.seq)) messages.set(entry.id, entry);
  }
  const ends = groupEnds([...messages.values()]);
  let end: EntryRef = target;
  for (const { from, to } of ends) if (from <= end.seq && to.seq > end.seq) end = to;
  return { id: end.id, seq: end.seq };
}

/** First seq and last entry of each group of several messages, by first seq: groups may overlap. */
function groupEnds(messages: readonly MessageEntry[]): readonly { readonly from: Seq; readonly to: EntryRef }[] {
  const groups = new Map<number, MessageEntry[]>();
  for (const { group, entry } of closePairs(messages, new Map()).messages) {
    if (entry !== null) groups.set(group, [...(groups.get(group) ?? []), entry]);
  }
  return [...groups.values()]
    .filter((members) => members.length > 1)
    .map((members) => members.toSorted((a, b) => a.seq - b.seq))
    .map((members) => ({ from: members[0]?.seq ?? 0, to: members.at(-1) as MessageEntry }))
    .sort((a, b) => a.from - b.from);
}
