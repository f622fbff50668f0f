import type { Draft } from '../draft/draft.ts';
import type { NewEntry } from '../journal/entry.ts';
import type { Folded } from '../journal/fold.ts';

/** What plugins have collected for a prompt. */
export interface Collected {
  readonly folded: Folded;
  /** The draft that they were given. */
  readonly first: Draft;
  /** That draft with their layers, before these are given their room. */
  readonly draft: Draft;
  /** What they recorded: stored with the request that is made of it, and else never. */
  readonly records: NewEntry[];
}

/** Holds what was collected for a compaction until the prompt behind it takes it: a step of a turn collects once. */
export interface CollectedShelf {
  collected: Collected | null;
}
