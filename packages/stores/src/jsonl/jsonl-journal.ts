import { type Entry, type Journal, type Seq, VarveError } from '@varve/core';
import type { AppendQueue } from './append-queue.ts';
import { findById, findBySeq } from './entry-finder.ts';
import type { OpenFile } from './file-system.ts';
import type { JournalFile } from './journal-file.ts';
import { readEntriesInOrder } from './record-reader.ts';
import { locateSeq, type SearchOptions } from './seq-locator.ts';
import type { SharedFile } from './shared-file.ts';
import { storeError } from './store-error.ts';
import { readTail } from './tail-reader.ts';

/** What a journal is made of. */
export interface JournalParts {
  readonly file: JournalFile;
  /** Absent when the journal was opened for reading only. */
  readonly queue: AppendQueue | undefined;
  /** Called once, when the journal is closed. */
  readonly onClose: () => Promise<void>;
}

/** Gives one caller access to a journal until it is closed. */
export function createJournal({ file, queue, onClose }: JournalParts): Journal {
  let closing: Promise<void> | null = null;
  // Which of the journals that took each other's place this caller knows.
  let generation = queue?.generation;
  const assertOpen = (): void => {
    if (closing !== null) throw closedError(file);
  };
  return {
    header: file.header,
    // Not async: each promise in between would cost an append a tenth of its time.
    append: (entries, options) => {
      if (closing !== null) return Promise.reject(closedError(file));
      if (queue === undefined) return Promise.reject(readOnlyError(file));
      if (queue.generation !== generation) return Promise.reject(replacedError(file));
      return queue.append(entries, options);
    },
    tail: async () => {
      assertOpen();
      generation = queue?.generation;
      return attempt(file, readTail);
    },
    read: ({ fromSeq = 1, toSeq = Number.POSITIVE_INFINITY } = {}) => {
      assertOpen();
      return readRange(file, { fromSeq, toSeq });
    },
    get: async (seqsOrIds) => {
      assertOpen();
      return attempt(file, (opened, options) => getEntries(opened, seqsOrIds, options));
    },
    replace: (batches, options) => {
      if (closing !== null) return Promise.reject(closedError(file));
      if (queue === undefined) return Promise.reject(readOnlyError(file));
      if (queue.generation !== generation) return Promise.reject(replacedError(file));
      const known = (begun: number): void => {
        generation = begun;
      };
      return queue.replace(batches, options).then(known, (error: unknown) => {
        // It may have been done all the same: what this caller knows is what it wrote.
        if (!VarveError.is(error, 'VARVE_STORE_CONFLICT')) known(queue.generation);
        throw error;
      });
    },
    close: () => {
      closing ??= onClose();
      return closing;
    },
  };
}

/** Runs a read on what the file holds now. */
async function attempt<Result>(
  file: JournalFile,
  read: (opened: OpenFile, options: SearchOptions) => Promise<Result>,
): Promise<Result> {
  try {
    return await file.read(read);
  } catch (error) {
    throw storeError(error, { doing: 'read', file: file.options.path.file });
  }
}

/** Streams a range. Neither a failed write nor closing the journal ends it. */
async function* readRange(
  file: JournalFile,
  { fromSeq, toSeq }: { readonly fromSeq: Seq; readonly toSeq: Seq },
): AsyncGenerator<Entry> {
  let shared: SharedFile | undefined;
  try {
    const lease = await file.lease();
    shared = lease.shared;
    const { end, lastSeq = fromSeq, index, report } = lease.search;
    if (fromSeq > lastSeq) return;
    const from = fromSeq <= 1 ? 0 : await locateSeq(shared.file, fromSeq, lease.search);
    for await (const entries of readEntriesInOrder(shared.file, { from, to: end, report })) {
      for (const { offset, record } of entries) {
        if (record.entry.seq > toSeq) return;
        index.note({ seq: record.entry.seq, offset });
        if (record.entry.seq >= fromSeq) yield record.entry;
      }
    }
  } catch (error) {
    throw storeError(error, { doing: 'read', file: file.options.path.file });
  } finally {
    await shared?.leave();
  }
}

async function getEntries(
  opened: OpenFile,
  seqsOrIds: readonly (Seq | string)[],
  options: SearchOptions,
): Promise<readonly Entry[]> {
  const seqs = new Set(seqsOrIds.filter((seqOrId) => typeof seqOrId === 'number').filter((seq) => seq > 0));
  const ids = new Set(seqsOrIds.filter((seqOrId) => typeof seqOrId === 'string'));
  const bySeq = await findBySeq(opened, seqs, options);
  const byId: ReadonlyMap<string, Entry> = ids.size === 0 ? new Map() : await findById(opened, ids, options);
  return seqsOrIds.flatMap((seqOrId) => {
    const entry = typeof seqOrId === 'number' ? bySeq.get(seqOrId) : byId.get(seqOrId);
    return entry === undefined ? [] : [entry];
  });
}

function readOnlyError({ options }: JournalFile): VarveError {
  const { sessionId } = options;
  return new VarveError('VARVE_STORE_READ_ONLY', `The journal of session "${sessionId}" was opened for reading only.`, {
    fix: 'Open it without `readOnly`.',
    details: { sessionId },
  });
}

function replacedError({ options }: JournalFile): VarveError {
  const { sessionId } = options;
  return new VarveError('VARVE_STORE_CONFLICT', `Somebody else has replaced the journal of session "${sessionId}".`, {
    fix: 'Read its tail, and append what still stands.',
    details: { sessionId },
  });
}

function closedError({ options }: JournalFile): VarveError {
  const { sessionId } = options;
  return new VarveError(
    'VARVE_STORE_CLOSED',
    `The journal of session "${sessionId}" was used after it had been closed.`,
    {
      fix: 'Open the journal again.',
      details: { sessionId },
    },
  );
}
