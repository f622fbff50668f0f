import { deepFreeze } from '../deep-freeze.ts';
import { pathTo } from '../journal/branch.ts';
import { type CarriedState, carry, emptyCarriedState, type HeldMessage } from '../journal/carried-state.ts';
import type { Entry } from '../journal/entry.ts';
import type { Checkpoint, Journal } from '../journal/store.ts';
import type { Seq } from '../units.ts';

/** The journal from `seq` on as a tail, with all before it that leads to the head reduced: memory does not grow with what lies before. */
export async function journalFrom(
  journal: Journal,
  { seq, headSeq }: { readonly seq: Seq; readonly headSeq: Seq },
): Promise<{ checkpoint: Checkpoint; entries: readonly Entry[] }> {
  let state: CarriedState = emptyCarriedState;
  const system: HeldMessage[] = [];
  const entries: Entry[] = [];
  for await (const entry of journal.read()) {
    if (entry.seq >= seq) entries.push(deepFreeze(entry));
    else state = carry(state, entry);
    const isSystem = entry.seq < seq && entry.type === 'message' && entry.message.role === 'system';
    if (isSystem) system.push({ entry, edits: [], stickyEdits: [] });
  }
  const isOnPath = pathTo(entries.reduce(carry, state).branches, headSeq);
  const held = system.filter(({ entry }) => isOnPath(entry.seq));
  return { checkpoint: { visibleFromSeq: seq, state: { ...state, held } }, entries };
}
