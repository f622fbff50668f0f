import { VarveError } from '../errors.ts';
import type { CompactionEntry, Entry } from '../journal/entry.ts';
import type { Seq, Ulid } from '../units.ts';
import type { SessionRuntime } from './session-runtime.ts';

/**
 * Takes a compaction, edit or state entry back by appending a `revoke` entry. What a compaction covered is in the next
 * prompt again, and so is everything that came later.
 */
export async function undoEntry(runtime: SessionRuntime, entryId: Ulid): Promise<void> {
  const { journal } = runtime;
  const [entry] = await journal.journal.get([entryId]);
  if (entry === undefined) {
    throw new VarveError('VARVE_ENTRY_UNKNOWN', `There is no entry "${entryId}".`, {
      fix: 'Use the id of an entry of this session.',
    });
  }
  if (entry.type !== 'compaction' && entry.type !== 'edit' && entry.type !== 'state') {
    throw new VarveError('VARVE_UNDO_TYPE', `Entry #${entry.seq} is a ${entry.type}; it cannot be undone.`, {
      fix: 'Undo a compaction, an edit or a state entry.',
    });
  }
  const revoke = { type: 'revoke', targetId: entry.id } as const;
  if (entry.type !== 'compaction') {
    await journal.append([revoke]);
    return;
  }
  checkIsNewest(runtime, entry);
  await journal.appendFrom(await visibleWithout(runtime, entry), [revoke], () => checkIsNewest(runtime, entry));
}

/** A later compaction includes the content of the one before: it must be undone first. */
function checkIsNewest({ journal }: SessionRuntime, entry: CompactionEntry): void {
  const { compaction } = journal.folded();
  if (compaction?.id === entry.id) return;
  const builds = compaction !== null && compaction.seq > entry.seq;
  const why = builds ? `#${compaction.seq} builds on it` : 'it has been undone already';
  throw new VarveError('VARVE_UNDO_ORDER', `Compaction #${entry.seq} cannot be undone: ${why}.`, {
    fix: builds ? `Undo #${compaction.seq} first.` : 'It needs no undoing; what it covered is in prompts again.',
    details: { newest: compaction?.id ?? null },
  });
}

/** First entry that is needed once the compaction is gone: where the one before begins, or the first of all. */
async function visibleWithout({ journal }: SessionRuntime, entry: CompactionEntry): Promise<Seq> {
  if (entry.previousId === null) return 1;
  const [previous] = (await journal.journal.get([entry.previousId])) as readonly (Entry | undefined)[];
  if (previous?.type !== 'compaction') return 1;
  const { firstKept, held } = previous.range;
  return Math.min(firstKept?.seq ?? previous.seq, held?.seq ?? Infinity);
}
