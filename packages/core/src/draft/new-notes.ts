import type { Draft, Item } from './draft.ts';
import { hasByteRoom } from './draft-bytes.ts';
import { createDraft, stateOfDraft } from './draft-operations.ts';
import { type NoteItem, notesIn } from './note-item.ts';
import { canBeCut, sizeOf } from './window-cut.ts';

/** Why a new note is not in its prompt. */
const noRoom = { rule: 'no-room', by: 'core' } as const;

/** Takes out the notes that were made for this prompt, so that nothing yields to them when the rest is made to fit. */
export function takeNewNotes(draft: Draft): { readonly draft: Draft; readonly notes: readonly NoteItem[] } {
  const state = stateOfDraft(draft);
  const notes = notesIn(state.items).filter(({ note }) => note.isNew);
  if (notes.length === 0) return { draft, notes };
  const items = state.items.filter((item) => item.note?.isNew !== true);
  return { draft: createDraft({ ...state, items }), notes };
}

/** A prompt that fits, and the new notes for which it had no room. */
interface Noted {
  readonly draft: Draft;
  readonly leftOut: readonly NoteItem[];
}

/**
 * Makes a draft fit and puts new notes at its end, one after the other. A note is left out where there is not enough room
 * under `hard`, or where the draft would be cut another way with it: the next prompt has it from the beginning, and must
 * come to the same. Of two notes with one name the later one counts.
 *
 * @param cut  Makes a draft fit, in the same way each time.
 */
export function fitWithNotes(
  draft: Draft,
  { notes, cut }: { readonly notes: readonly NoteItem[]; readonly cut: (draft: Draft) => Draft },
): Noted {
  const leftOut: NoteItem[] = [];
  let whole = draft;
  let fitting = cut(draft);
  for (const note of new Map(notes.map((one) => [one.id, one])).values()) {
    const larger = withItem(whole, note);
    const noted = canBeCut(larger) ? cut(larger) : larger;
    if (hasRoom(noted) && hasGrownBy(note, { noted, fitting })) [whole, fitting] = [larger, noted];
    else leftOut.push(note);
  }
  return { draft: markLeftOut(fitting, leftOut), leftOut };
}

function withItem(draft: Draft, note: NoteItem): Draft {
  const state = stateOfDraft(draft);
  return createDraft({ ...state, items: [...state.items, note] });
}

function hasRoom(draft: Draft): boolean {
  return sizeOf(draft) <= draft.budget.hard && hasByteRoom(draft);
}

function hasGrownBy(note: NoteItem, { noted, fitting }: { readonly noted: Draft; readonly fitting: Draft }): boolean {
  const expected = [...stateOfDraft(fitting).items, note];
  const { items } = stateOfDraft(noted);
  const isSame = (item: Item | undefined, other: Item): boolean =>
    item?.id === other.id && item.tokens === other.tokens;
  return items.length === expected.length && expected.every((item, index) => isSame(items[index], item));
}

function markLeftOut(draft: Draft, leftOut: readonly NoteItem[]): Draft {
  if (leftOut.length === 0) return draft;
  const state = stateOfDraft(draft);
  const marks = leftOut.map((item) => ({ item, ...noRoom }));
  return createDraft({ ...state, leftOutNotes: [...state.leftOutNotes, ...marks] });
}
