import { VarveError } from '../../errors.ts';
import { pathTo } from '../../journal/branch.ts';
import type { CompactionEntry } from '../../journal/entry.ts';
import type { Ulid } from '../../units.ts';
import type { SessionRuntime } from '../session-runtime.ts';
import { firstNeeded, readCompactions } from './newest-compaction.ts';

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
  await journal.appendFrom(async () => {
    checkIsNewest(runtime, entry);
    const others = (await readCompactions(journal.journal)).filter(({ id }) => id !== entry.id);
    return { fromSeq: firstNeeded(others, { branches: journal.state().branches, seq: Infinity }), entry: revoke };
  });
}

/** A later compaction includes the content of the one before: it must be undone first. */
function checkIsNewest({ journal }: SessionRuntime, entry: CompactionEntry): void {
  const { compaction, state } = journal.folded();
  if (compaction?.id === entry.id) return;
  if (!pathTo(state.branches, Infinity)(entry.seq)) throw movedError(entry);
  const builds = compaction !== null && compaction.seq > entry.seq;
  const why = builds ? `#${compaction.seq} builds on it` : 'it has been undone already';
  throw new VarveError('VARVE_UNDO_ORDER', `Compaction #${entry.seq} cannot be undone: ${why}.`, {
    fix: builds ? `Undo #${compaction.seq} first.` : 'It needs no undoing; what it covered is in prompts again.',
    details: { newest: compaction?.id ?? null },
  });
}

/** What is off the path has no effect that could be taken back. */
function movedError(entry: CompactionEntry): VarveError {
  const message = `Compaction #${entry.seq} cannot be undone: the head was moved, and it is off the path.`;
  return new VarveError('VARVE_UNDO_ORDER', message, {
    fix: 'It needs no undoing, unless the head is moved behind it again.',
    details: { newest: null },
  });
}
