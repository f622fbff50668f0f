import type { RequestNote } from '../journal/entry.ts';
import { nameOfNote } from '../journal/notes-in-force.ts';
import type { Message } from '../message.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import type { Seq } from '../units.ts';
import type { Item, ItemNote, NoteSpec } from './draft.ts';
import { blockWithin, quotedSeqs } from './layer.ts';
import { madeUpPart } from './thread.ts';

/** An item that is a note. */
export type NoteItem = Item & { readonly note: ItemNote };

/** True for an item that is a note and no message of the conversation. */
export function isNote(item: Item): item is NoteItem {
  return item.note !== null;
}

const notes = new WeakMap<readonly Item[], readonly NoteItem[]>();

/** The notes in a list that never changes: looked for once, as every step of an assembly asks. */
export function notesIn(items: readonly Item[]): readonly NoteItem[] {
  const known = notes.get(items) ?? items.filter(isNote);
  notes.set(items, known);
  return known;
}

/** The item of a note that an earlier prompt has had. It is made and counted once. */
export function itemOfNote(note: RequestNote, counter: TokenCounter): NoteItem {
  const known = items.get(note);
  if (known?.counter === counter) return known.item;
  const { id, by, afterSeq, rule, seqs, text } = note;
  const item = noteItem({ id, by, afterSeq, rule, seqs, isNew: false }, { text, counter });
  items.set(note, { counter, item });
  return item;
}

const items = new WeakMap<RequestNote, { readonly counter: TokenCounter; readonly item: NoteItem }>();

/** The item of a note as a plugin asks for it, within its limit; `null` where nothing of it is left to be said. */
export function newNoteItem(
  spec: NoteSpec,
  made: { readonly by: string; readonly rule: string; readonly afterSeq: Seq; readonly counter: TokenCounter },
): NoteItem | null {
  const { by, rule, afterSeq, counter } = made;
  const { id, maxTokens = Infinity } = spec;
  for (let limit = maxTokens; ; ) {
    const block = blockWithin(spec, { counter, limit });
    if (block.text.trim() === '') return null;
    const note = { id, by, afterSeq, rule, seqs: quotedSeqs(block.items), isNew: true };
    const item = noteItem(note, { text: block.text, counter });
    if (item.tokens <= maxTokens) return item;
    // What frames a message may cost more than what frames a block.
    limit = Math.min(limit, block.tokens) - (item.tokens - maxTokens);
  }
}

function noteItem(
  note: ItemNote,
  { text, counter }: { readonly text: string; readonly counter: TokenCounter },
): NoteItem {
  const name = nameOfNote(note);
  const message: Message = Object.freeze({ role: 'user', content: text });
  return Object.freeze({
    id: name,
    groupId: name,
    seq: null,
    entryId: null,
    message,
    partIndexes: [madeUpPart],
    tokens: counter.countMessage(message),
    live: false,
    unread: false,
    said: false,
    protected: false,
    note: Object.freeze(note),
  });
}
