import { type Entry, type Seq, type Store, VarveError } from '@varve/core';
import { readableJournal } from '@varve/core/host';

/** Which entries are read. */
export interface EntryRange {
  /** @default the first */
  readonly fromSeq?: Seq;
  /** @default the last */
  readonly toSeq?: Seq;
}

/**
 * The entries of a session as they are stored, by whichever process: takes no lock. In the place of one that cannot be read
 * stands a record that says so. None for a session without a journal.
 */
export async function* readEntries(
  store: Store,
  sessionId: string,
  range: EntryRange = {},
): AsyncGenerator<Entry, void, undefined> {
  try {
    const journal = readableJournal(await store.open(sessionId, { readOnly: true }));
    try {
      yield* journal.read(range);
    } finally {
      await journal.close();
    }
  } catch (error) {
    // A record may be there before its journal is, and one that is deleted has no more entries.
    if (!VarveError.is(error, 'VARVE_STORE_MISSING')) throw error;
  }
}
