import { VarveError } from '../../errors.ts';
import type { Entry } from '../../journal/entry.ts';
import { foldTail } from '../../journal/fold-tail.ts';
import type { Journal } from '../../journal/store.ts';
import { type SessionJournal, wholeJournalText } from '../session-journal.ts';

/** The journal of a session that is only looked at. */
export interface ReadOnlyJournal extends SessionJournal {
  /** Reads what others have appended since. */
  refresh(): Promise<void>;
}

/** Reads the tail of a journal and folds it. Nothing is ever appended: what is deferred is let go of. */
export async function openReadOnlyJournal(
  journal: Journal,
  { warn }: { readonly warn: (text: string) => void },
): Promise<ReadOnlyJournal> {
  const read = async () => {
    const { folding, isWhole } = await foldTail(journal);
    if (isWhole) warn(wholeJournalText);
    return folding;
  };
  const refuse = async (): Promise<never> => {
    throw readOnlyError(journal.header.sessionId);
  };
  let folding = await read().catch(async (error: unknown) => {
    await journal.close();
    throw error;
  });
  return {
    journal,
    folded: () => folding.view(),
    seqOfKey: (key) => folding.seqOfKey(key),
    state: () => folding.state(),
    requestLayers: () => folding.requestLayers(),
    begin: async () => undefined,
    append: async (entries) => (entries.length === 0 ? [] : refuse()),
    defer: () => undefined,
    foldedWith: (entry) => {
      const { headId: parentId, lastSeq } = folding.end();
      // It is folded and forgotten: the id is never compared with another's.
      return folding.preview([{ v: 1, id: '', parentId, seq: lastSeq + 1, at: 0, ...entry } as Entry]).view();
    },
    appendFrom: refuse,
    rewrite: refuse,
    hold: refuse,
    release: () => undefined,
    close: () => journal.close(),
    refresh: async () => {
      folding = await read();
    },
  };
}

/** What a session that was opened for reading says to who would change it. */
export function readOnlyError(sessionId: string): VarveError {
  return new VarveError('VARVE_STORE_READ_ONLY', `Session "${sessionId}" was opened for reading only.`, {
    fix: 'Open it without `readOnly`.',
    details: { sessionId },
  });
}
