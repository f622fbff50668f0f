import { deepFreeze } from '../deep-freeze.ts';
import { carriedStateVersion } from './carried-state.ts';
import type { Entry } from './entry.ts';
import { createFolding, type Folding } from './fold.ts';
import type { Journal, Tail } from './store.ts';

/** A tail with what it means. */
export interface FoldedTail {
  readonly tail: Tail;
  readonly folding: Folding;
  /** True when the checkpoint was of another version, and the whole journal was read in its place. */
  readonly isWhole: boolean;
}

/** Reads the tail of a journal and folds it; the whole journal where its checkpoint is of a version not known here. */
export async function foldTail(journal: Journal): Promise<FoldedTail> {
  const tail = deepFreeze(await journal.tail());
  const version: unknown = tail.checkpoint?.state.v;
  if (tail.checkpoint === null || version === carriedStateVersion) {
    return { tail, folding: createFolding(tail), isWhole: false };
  }
  const entries: Entry[] = [];
  for await (const entry of journal.read()) entries.push(deepFreeze(entry));
  const whole = { checkpoint: null, entries };
  const folding = createFolding(whole);
  folding.trim();
  return { tail: whole, folding, isWhole: true };
}
