import type { Draft } from '../draft/draft.ts';
import { stateOfDraft } from '../draft/draft-operations.ts';
import { type NoteItem, notesIn } from '../draft/note-item.ts';
import type { LeftOutNote, RequestNote } from '../journal/entry.ts';
import { nameOfNote } from '../journal/notes-in-force.ts';
import type { ManifestAction, ManifestNote, Prompt } from './prompt.ts';

/** The notes of a draft, and those that were left out of it. */
export function manifestNotes(draft: Draft): readonly ManifestNote[] {
  const { items, leftOutNotes: leftOut } = stateOfDraft(draft);
  return [
    ...notesIn(items).map(recordOf),
    ...leftOut.map(({ item, rule, by }) => ({ ...recordOf(item), tokens: 0, leftOut: { rule, by } })),
  ];
}

function recordOf({ note, message, tokens }: NoteItem): ManifestNote {
  const { id, by, rule, afterSeq, seqs, isNew } = note;
  const text = typeof message.content === 'string' ? message.content : '';
  return { id, by, rule, afterSeq, text, tokens, seqs, isNew };
}

/** The notes that a prompt is the first to have, and those in force that it has not, as its entry stores them. */
export function requestNotes({ manifest }: Prompt): {
  readonly notes: readonly RequestNote[];
  readonly leftOutNotes: readonly LeftOutNote[];
} {
  const added = manifest.notes.filter(({ isNew, leftOut }) => isNew && leftOut === undefined);
  const notes = added.map(({ isNew: _isNew, leftOut: _leftOut, ...note }): RequestNote => note);
  const leftOutNotes = manifest.notes.flatMap(({ id, by, afterSeq, isNew, leftOut }): LeftOutNote[] =>
    isNew || leftOut === undefined ? [] : [{ id, by, afterSeq, rule: leftOut.rule }],
  );
  return { notes, leftOutNotes };
}

/** One action for all notes of a plugin that the prompt before had and this one has not, or the other way round. */
export function noteActions(previous: Prompt, notes: readonly ManifestNote[]): readonly ManifestAction[] {
  const before = new Set(shown(previous.manifest.notes).map(nameOfNote));
  const now = new Set(shown(notes).map(nameOfNote));
  const gone = shown(previous.manifest.notes).filter((note) => !now.has(nameOfNote(note)));
  const back = shown(notes).filter((note) => !note.isNew && !before.has(nameOfNote(note)));
  const counts = new Map<string, number>();
  for (const { by } of [...gone, ...back]) counts.set(by, (counts.get(by) ?? 0) + 1);
  return [...counts].map(([by, count]) => ({ kind: 'notes', by, notes: count }));
}

function shown(notes: readonly ManifestNote[]): readonly ManifestNote[] {
  return notes.filter(({ leftOut }) => leftOut === undefined);
}
