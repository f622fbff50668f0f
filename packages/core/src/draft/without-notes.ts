import type { Draft } from './draft.ts';
import { createDraft, stateOfDraft } from './draft-operations.ts';
import { isNote } from './note-item.ts';

/** A draft without any notes: no prompt is impossible, and no compaction another one, for what a plugin has added. */
export function withoutNotes(draft: Draft, rule: string): Draft {
  const ids = draft.items.filter(isNote).map(({ groupId }) => groupId);
  return ids.length === 0 ? draft : createDraft({ ...stateOfDraft(draft), actor: 'core' }).drop(ids, rule);
}
