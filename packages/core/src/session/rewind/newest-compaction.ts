import { type Branch, pathTo } from '../../journal/branch.ts';
import type { CompactionEntry } from '../../journal/entry.ts';
import type { Journal } from '../../journal/store.ts';
import type { Seq, Ulid } from '../../units.ts';

/** A compaction as far as it is needed to know where reading starts. */
export type Compacted = Pick<CompactionEntry, 'id' | 'seq' | 'range'>;

/** Reads all compactions that nobody took back; memory does not grow with what they hold. */
export async function readCompactions(journal: Journal): Promise<readonly Compacted[]> {
  const compactions: Compacted[] = [];
  const revoked = new Set<Ulid>();
  for await (const entry of journal.read()) {
    if (entry.type === 'compaction') compactions.push({ id: entry.id, seq: entry.seq, range: entry.range });
    if (entry.type === 'revoke') revoked.add(entry.targetId);
  }
  return compactions.filter(({ id }) => !revoked.has(id));
}

/** First entry that must be read to know what is shown where `seq` is the head: with the newest compaction up to it. */
export function firstNeeded(
  compactions: readonly Compacted[],
  { branches, seq }: { readonly branches: readonly Branch[]; readonly seq: Seq },
): Seq {
  const isOnPath = pathTo(branches, seq);
  const newest = compactions.findLast((compaction) => isOnPath(compaction.seq));
  if (newest === undefined) return 1;
  const { firstKept, held } = newest.range;
  return Math.min(firstKept?.seq ?? newest.seq, held?.seq ?? Infinity);
}
