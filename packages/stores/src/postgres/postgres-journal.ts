import type { Journal, JournalHeader } from '@varve/core';
import type { AppendQueue } from './append-queue.ts';
import { getEntries, readEntries, readTail, type StoredJournal } from './entry-pages.ts';
import { closedError, readOnlyError, replacedError } from './journal-errors.ts';
import { replaceJournal } from './replacement.ts';

/** What a journal is made of. */
export interface PostgresJournalParts {
  readonly stored: StoredJournal;
  readonly header: JournalHeader;
  /** Which of the journals that took each other's place this is. */
  readonly generation: number;
  /** Absent when the journal was opened for reading only. */
  readonly queue: AppendQueue | undefined;
  readonly onClose: () => void;
}

/** Gives one caller access to a journal until it is closed. */
export function createPostgresJournal(parts: PostgresJournalParts): Journal {
  const { stored, header, queue, onClose } = parts;
  let { generation } = parts;
  let closing: Promise<void> | null = null;
  const assertOpen = (): void => {
    if (closing !== null) throw closedError('journal');
    if (stored.isStoreClosed()) throw closedError('store');
  };
  const writer = (): AppendQueue => {
    assertOpen();
    if (queue === undefined) throw readOnlyError(header.sessionId);
    return queue;
  };
  return {
    header,
    append: async (entries, options) => writer().add(entries, { ...options, generation }),
    tail: async () => {
      assertOpen();
      const read = await readTail(stored);
      ({ generation } = read);
      return read.tail;
    },
    read: (range = {}) => {
      assertOpen();
      return readEntries(stored, range);
    },
    get: async (seqsOrIds) => {
      assertOpen();
      return getEntries(stored, seqsOrIds);
    },
    replace: async (batches, { expectedSeq }) => {
      await writer().idle();
      const known = generation;
      const replaced = await replaceJournal(stored, batches, { expectedSeq, generation: known });
      // A tail that was read meanwhile knows already.
      if (generation !== known && generation !== replaced) throw replacedError(header.sessionId);
      generation = replaced;
    },
    close: () => {
      closing ??= (async () => {
        await queue?.idle();
        onClose();
      })();
      return closing;
    },
  };
}
