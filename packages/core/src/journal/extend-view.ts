import type { CarriedState } from './carried-state.ts';
import type { Entry, RequestEntry } from './entry.ts';
import type { Folded } from './fold.ts';
import { noteChanges } from './last-verdicts.ts';
import { knewSeqOf, withNotesOf } from './notes-in-force.ts';

/**
 * The view of a fold with one more entry at its end; `null` where that entry changes what was there before, so that all
 * has to be folded anew. What is the same stays the same object: whoever works on views can go on from the one before.
 */
export function extendView(view: Folded, { entry, state }: { entry: Entry; state: CarriedState }): Folded | null {
  if (entry.parentId !== view.headId) return null;
  const next: Folded = { ...view, lastSeq: entry.seq, headId: entry.id, state: { ...state, held: [] } };
  switch (entry.type) {
    case 'message':
      return { ...next, messages: Object.freeze([...view.messages, entry]) };
    case 'request':
      return isOtherModel(view, entry.model) ? null : { ...next, ...afterRequest(view, entry) };
    case 'setting':
      return entry.name === 'model' ? null : next;
    case 'edit':
    case 'compaction':
    case 'head':
    case 'revoke':
      return null;
    default:
      return next;
  }
}

/** Sticky edits end with their model. */
function isOtherModel({ state }: Folded, model: string): boolean {
  return state.model !== null && state.model !== model;
}

function afterRequest(
  view: Folded,
  entry: RequestEntry,
): Pick<Folded, 'lastRequestSeq' | 'lastRequestKnewSeq' | 'isTurnedBack' | 'verdicts' | 'notes'> {
  const { verdicts, visibleFromSeq, held } = view;
  const lastRequestKnewSeq = knewSeqOf(entry);
  const isTurnedBack = view.turnedBackSeq > lastRequestKnewSeq;
  const notes = withNotesOf(entry, view);
  const facts = { lastRequestSeq: entry.seq, lastRequestKnewSeq, isTurnedBack, notes };
  if (entry.changes.length === 0) return { ...facts, verdicts };
  const changed = new Map(verdicts);
  const isBefore = knewSeqOf(entry) < (view.compaction?.seq ?? 0);
  noteChanges(changed, entry, { visibleFromSeq, heldSeqs: new Set(isBefore ? [] : held.map(({ seq }) => seq)) });
  return { ...facts, verdicts: changed };
}
