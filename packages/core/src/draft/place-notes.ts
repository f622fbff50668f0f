import type { Seq } from '../units.ts';
import type { Item } from './draft.ts';
import type { NoteItem } from './note-item.ts';

/** The entry behind whose group a note of this conversation would stand; 0 for a conversation that has not begun. */
export function endOf(items: readonly Item[]): Seq {
  return items.findLast(({ seq }) => seq !== null)?.seq ?? 0;
}

/**
 * Puts notes where they were made: behind the group of their entry, in reading order, those of one place in the order in
 * which they were made. Where that entry is not there, behind the newest one before it, or at the beginning.
 */
export function placeNotes(items: readonly Item[], notes: readonly NoteItem[]): readonly Item[] {
  if (notes.length === 0) return items;
  const endOfSeq = groupEnds(items);
  const byPlace = new Map<number, NoteItem[]>();
  for (const note of notes) {
    const { afterSeq } = note.note;
    const place = endOfSeq.get(afterSeq) ?? endBefore(endOfSeq, afterSeq);
    const others = byPlace.get(place);
    if (others === undefined) byPlace.set(place, [note]);
    else others.push(note);
  }
  const notesAt = (place: number): readonly NoteItem[] => byPlace.get(place) ?? [];
  return [...notesAt(0), ...items.flatMap((item, index) => [item, ...notesAt(index + 1)])];
}

/** For each entry, how many items there are up to the end of the last group that it is in. */
function groupEnds(items: readonly Item[]): ReadonlyMap<Seq, number> {
  const ends = new Map<Seq, number>();
  let end = items.length;
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const { seq, groupId } = items[index] as Item;
    if (items[index + 1]?.groupId !== groupId) end = index + 1;
    if (seq !== null && !ends.has(seq)) ends.set(seq, end);
  }
  return ends;
}

function endBefore(endOfSeq: ReadonlyMap<Seq, number>, seq: Seq): number {
  const nearest = [...endOfSeq.keys()].reduce((best, other) => (other <= seq && other > best ? other : best), 0);
  return endOfSeq.get(nearest) ?? 0;
}
