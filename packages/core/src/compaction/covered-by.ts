import type { CompactionEntry, MessageEntry } from '../journal/entry.ts';
import type { Folded } from '../journal/fold.ts';

/** The entries that the summary newly stands for: not what is held, which is shown itself. */
export function coveredBy({ range }: Pick<CompactionEntry, 'range'>, folded: Folded): readonly MessageEntry[] {
  return [...folded.held, ...folded.messages].filter(
    (entry) => entry.seq <= range.to.seq && entry.id !== range.held?.id && entry.message.role !== 'system',
  );
}
