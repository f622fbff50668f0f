import type { CompactionEntry, Entry } from '@varve/core';

/**
 * What saved a compaction, from the best to the last resort. `unwritten prose` is that of before, or what was said word
 * for word where it is short: no model wrote it.
 */
export type Rung =
  | 'prose'
  | 'quality completed'
  | 'second model'
  | 'unwritten prose'
  | 'digest alone'
  | 'built-in cut'
  | 'parking';

/** The rung that a committed compaction stands on. */
function rungOf({ by, quality, prose, edits }: CompactionEntry): Rung {
  if (by.plugin === 'core') return edits.some(({ rule }) => rule === 'park-unread') ? 'parking' : 'built-in cut';
  const model: unknown = 'model' in by ? by.model : undefined;
  if (typeof model !== 'string') return prose === null ? 'digest alone' : 'unwritten prose';
  if (model.endsWith('/second')) return 'second model';
  return quality === 'completed' ? 'quality completed' : 'prose';
}

/** How many compactions of a journal stand on which rung. */
export function countRungs(entries: readonly Entry[]): Readonly<Partial<Record<Rung, number>>> {
  const counts: Partial<Record<Rung, number>> = {};
  for (const entry of entries) {
    if (entry.type !== 'compaction') continue;
    const rung = rungOf(entry);
    counts[rung] = (counts[rung] ?? 0) + 1;
  }
  return counts;
}
