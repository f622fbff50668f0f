import type { Seq } from '../units.ts';
import { checkpointTypes } from './checkpoint-types.ts';
import type { Entry, NoteRef, RequestEntry, RequestNote } from './entry.ts';

/** The name of a note in its prompt: `note:12:recall:now`. Of two notes with the same name the first one counts. */
export function nameOfNote({ id, by, afterSeq }: NoteRef): string {
  return `note:${afterSeq}:${by.replaceAll(':', '%3A')}:${id}`;
}

/** Seq of the last compaction, undo or move of the head; 0 for none. Notes made before it have ended. */
export function lastRebuild(entries: readonly Entry[]): Seq {
  return entries.findLast(({ type }) => checkpointTypes.has(type))?.seq ?? 0;
}

/** The last rebuild that a request knew: it may be stored behind one that came while it was made. */
export function knewSeqOf({ rebuiltSeq, seq }: RequestEntry): Seq {
  return rebuiltSeq ?? seq;
}

/** The notes that later prompts show, in the order in which they were made. */
export function notesInForce(entries: readonly Entry[], rebuiltSeq: Seq): readonly RequestNote[] {
  let notes = noNotes;
  for (const entry of entries) if (entry.type === 'request') notes = withNotesOf(entry, { notes, rebuiltSeq });
  return notes;
}

/**
 * The notes in force after one more request; the same list when it brings none. A request whose prompt was begun before
 * the last rebuild brings none, wherever it is stored.
 */
export function withNotesOf(
  request: RequestEntry,
  { notes, rebuiltSeq }: { readonly notes: readonly RequestNote[]; readonly rebuiltSeq: Seq },
): readonly RequestNote[] {
  const { notes: made = [], rebuiltSeq: knew = 0 } = request;
  if (made.length === 0 || knew !== rebuiltSeq) return notes;
  const known = new Set(notes.map(nameOfNote));
  const added = made.filter((note) => !known.has(nameOfNote(note)));
  return added.length === 0 ? notes : Object.freeze([...notes, ...added]);
}

const noNotes: readonly RequestNote[] = Object.freeze([]);
