import { systemClock } from '../clock.ts';
import { messageOfError, VarveError } from '../errors.ts';
import type { Seq } from '../units.ts';
import type { Entry } from './entry.ts';
import { memorySessionIndex } from './memory-session-index.ts';
import type {
  AppendOptions,
  Checkpoint,
  Journal,
  JournalArchives,
  JournalBatch,
  JournalHeader,
  Store,
  Tail,
} from './store.ts';

/** How a store in memory is made. */
export interface MemoryStoreOptions {
  /**
   * What it says of itself: `full` lets several hosts of one process share its sessions as they would share a database,
   * and take turns one after the other. @default 'no'
   */
  readonly multiProcess?: 'no' | 'full' | undefined;
}

/**
 * Keeps journals in this process's memory, until the store is disposed of: for tests, scripts and browsers. It is also
 * the reference for every other store.
 *
 * Entries are held as JSON text. What a caller changes after an append, or in what was read, never reaches the journal,
 * and what JSON does not keep (`undefined`, functions, `NaN`) is lost here exactly as it is in a file. A session may be
 * opened several times at once; `expectedSeq` tells its writers apart.
 *
 * @throws VARVE_ENTRY_INVALID  from `append`, when an entry is not JSON or is not numbered as the next one.
 */
export function memoryStore({ multiProcess = 'no' }: MemoryStoreOptions = {}): Store {
  const sessions = new Map<string, Session>();
  let isClosed = false;
  const dispose = async (): Promise<void> => {
    isClosed = true;
    sessions.clear();
  };
  const assertOpen = (): void => {
    if (isClosed) throw closedError('store');
  };
  const records = memorySessionIndex(assertOpen);
  return {
    sessions: records,
    supports: { multiProcess, archives: 'marked' },
    archives: memoryArchives(sessions, assertOpen),
    remove: async (sessionId, { expectedRev }) => {
      const record = await records.get(sessionId);
      if (record === null || sessions.has(sessionId)) idleSession(sessions, sessionId);
      if ((record?.rev ?? 0) !== expectedRev) throw changedError({ expectedRev, rev: record?.rev ?? 0 });
      if ((record?.lease?.untilAt ?? 0) > systemClock.now()) throw lockedError(sessionId);
      sessions.delete(sessionId);
      records.remove(sessionId);
    },
    open: async (sessionId, { create, readOnly = false } = {}) => {
      assertOpen();
      let session = sessions.get(sessionId);
      if (session === undefined) {
        if (create === undefined || readOnly) throw missingError(sessionId);
        session = emptySession(JSON.stringify(create));
        sessions.set(sessionId, session);
      }
      return openJournal(session, { readOnly, isStoreClosed: () => isClosed });
    },
    [Symbol.asyncDispose]: dispose,
  };
}

/** One journal, as JSON text. */
interface Session {
  readonly header: string;
  /** The entry with seq `n` is `lines[n - 1]`. */
  lines: string[];
  seqs: Map<string, Seq>;
  /** The newest checkpoint. */
  checkpoint: string | null;
  /** How often the journal was replaced. */
  generation: number;
  /** The highest fence of an append. */
  fence: number;
  /** How many have it open for writing. */
  writers: number;
  /** Whether somebody has put it away since it was last opened for writing: no more than a mark. */
  isPacked: boolean;
}

function emptySession(header: string): Session {
  const content = { lines: [], seqs: new Map(), checkpoint: null };
  return { header, ...content, generation: 0, fence: 0, writers: 0, isPacked: false };
}

/** A session that nobody has open for writing. */
function idleSession(sessions: ReadonlyMap<string, Session>, sessionId: string): Session {
  const session = sessions.get(sessionId);
  if (session === undefined) throw missingError(sessionId);
  if (session.writers > 0) throw lockedError(sessionId);
  return session;
}

function memoryArchives(sessions: ReadonlyMap<string, Session>, assertOpen: () => void): JournalArchives {
  const idle = (sessionId: string): Session => {
    assertOpen();
    return idleSession(sessions, sessionId);
  };
  return {
    list: async () => {
      assertOpen();
      return [...sessions].flatMap(([sessionId, { isPacked }]) => (isPacked ? [sessionId] : []));
    },
    pack: async (sessionId) => {
      const session = idle(sessionId);
      session.isPacked = true;
      const bytes = session.lines.reduce((sum, { length }) => sum + length, 0);
      return { bytes, journalBytes: bytes };
    },
    unpack: async (sessionId) => {
      idle(sessionId).isPacked = false;
    },
  };
}

function openJournal(
  session: Session,
  { readOnly, isStoreClosed }: { readonly readOnly: boolean; readonly isStoreClosed: () => boolean },
): Journal {
  const header: JournalHeader = JSON.parse(session.header);
  let isClosed = false;
  // Which of the journals that took each other's place this caller knows.
  let { generation } = session;
  if (!readOnly) {
    session.writers += 1;
    session.isPacked = false;
  }
  const assertOpen = (): void => {
    if (isClosed) throw closedError('journal');
    if (isStoreClosed()) throw closedError('store');
  };
  const assertCurrent = (): void => {
    if (readOnly) throw readOnlyError(header.sessionId);
    if (session.generation !== generation) throw replacedError(header.sessionId);
  };
  return {
    header,
    append: async (entries, options) => {
      assertOpen();
      assertCurrent();
      return append(session, entries, options);
    },
    tail: async () => {
      assertOpen();
      generation = session.generation;
      return tailOf(session);
    },
    read: (range = {}) => {
      assertOpen();
      return readRange(session, range);
    },
    get: async (seqsOrIds) => {
      assertOpen();
      return seqsOrIds.flatMap((seqOrId) => {
        const seq = typeof seqOrId === 'string' ? (session.seqs.get(seqOrId) ?? 0) : seqOrId;
        const line = session.lines[seq - 1];
        return line === undefined ? [] : [parse(line)];
      });
    },
    replace: async (batches, { expectedSeq }) => {
      assertOpen();
      assertCurrent();
      const replacement = await collect(batches);
      assertOpen();
      assertCurrent();
      replace(session, replacement, expectedSeq);
      generation = session.generation;
    },
    close: async () => {
      if (!isClosed && !readOnly) session.writers -= 1;
      isClosed = true;
    },
  };
}

function append(session: Session, entries: readonly Entry[], options: AppendOptions): { readonly seq: Seq } {
  const { expectedSeq, fence = session.fence, checkpoint } = options;
  const lines = entries.map(stringify);
  if (fence < session.fence) throw leaseError({ fence, highest: session.fence });
  const lastSeq = session.lines.length;
  if (expectedSeq !== lastSeq) throw conflictError({ expectedSeq, lastSeq });
  if (checkpoint !== undefined && entries.length === 0) throw checkpointError();
  for (const [index, entry] of entries.entries()) {
    if (entry.seq !== expectedSeq + index + 1) throw seqError(entry, expectedSeq + index + 1);
  }
  const checkpointText = checkpoint === undefined ? session.checkpoint : JSON.stringify(checkpoint);
  for (const entry of entries) session.seqs.set(entry.id, entry.seq);
  for (const line of lines) session.lines.push(line);
  session.checkpoint = checkpointText;
  session.fence = fence;
  return { seq: expectedSeq + entries.length };
}

/** A journal's new content, numbered from 1 on. */
async function collect(batches: AsyncIterable<JournalBatch>): Promise<Session> {
  const collected = emptySession('');
  for await (const { entries, checkpoint } of batches) {
    const expectedSeq = collected.lines.length;
    const wrong = entries.find((entry, index) => entry.seq !== expectedSeq + index + 1);
    if (wrong !== undefined) throw replaceError(`Entry "${wrong.id}" of the new journal has seq ${wrong.seq}`);
    append(collected, entries, { expectedSeq, checkpoint });
  }
  return collected;
}

function replace(session: Session, { lines, seqs, checkpoint }: Session, expectedSeq: Seq): void {
  const lastSeq = session.lines.length;
  if (expectedSeq !== lastSeq) throw conflictError({ expectedSeq, lastSeq });
  if (lines.length !== lastSeq) throw replaceError(`The new journal has ${lines.length} entries, the old ${lastSeq}`);
  session.lines = lines;
  session.seqs = seqs;
  session.checkpoint = checkpoint;
  session.generation += 1;
}

function tailOf({ checkpoint: text, lines }: Session): Tail {
  const checkpoint: Checkpoint | null = text === null ? null : JSON.parse(text);
  return { checkpoint, entries: lines.slice(Math.max(1, checkpoint?.visibleFromSeq ?? 1) - 1).map(parse) };
}

async function* readRange(
  { lines }: Session,
  { fromSeq = 1, toSeq = Number.POSITIVE_INFINITY }: { readonly fromSeq?: Seq; readonly toSeq?: Seq },
): AsyncGenerator<Entry> {
  // What is appended during the iteration is not part of it, as in a file.
  const end = Math.min(toSeq, lines.length);
  for (let seq = Math.max(1, Math.ceil(fromSeq)); seq <= end; seq += 1) yield parse(lines[seq - 1] ?? '');
}

function stringify(entry: Entry): string {
  let cause: unknown;
  try {
    const text: string | undefined = JSON.stringify(entry);
    if (text?.startsWith('{')) return text;
  } catch (error) {
    cause = error;
  }
  const reason = cause === undefined ? 'it is not a JSON object' : messageOfError(cause);
  throw new VarveError('VARVE_ENTRY_INVALID', `An entry cannot be stored: ${reason}.`, {
    fix: 'Append entries that consist of JSON values only.',
    cause,
  });
}

function parse(line: string): Entry {
  return JSON.parse(line);
}

function seqError(entry: Entry, next: Seq): VarveError {
  return new VarveError('VARVE_ENTRY_INVALID', `Entry "${entry.id}" has seq ${entry.seq}; the next one is ${next}.`, {
    fix: 'Number entries from expectedSeq + 1 on, without gaps.',
    details: { id: entry.id, seq: entry.seq, next },
  });
}

function checkpointError(): VarveError {
  return new VarveError('VARVE_ENTRY_INVALID', 'A checkpoint was appended without an entry.', {
    fix: 'Append the checkpoint with the entry that made it.',
  });
}

function conflictError(seqs: { readonly expectedSeq: Seq; readonly lastSeq: Seq }): VarveError {
  const message = `The append expected seq ${seqs.expectedSeq} to be the last; it is ${seqs.lastSeq}.`;
  return new VarveError('VARVE_STORE_CONFLICT', message, {
    fix: 'Read what was appended meanwhile, number the entries anew, and append again.',
    details: seqs,
  });
}

function leaseError(fences: { readonly fence: number; readonly highest: number }): VarveError {
  const message = `The append has fence ${fences.fence}; one with ${fences.highest} came before it.`;
  return new VarveError('VARVE_LEASE_LOST', message, {
    fix: 'Let the host that has taken over answer, or take the lease anew.',
    details: fences,
  });
}

function replaceError(what: string): VarveError {
  return new VarveError('VARVE_STORE_CONFLICT', `${what}: a journal is replaced seq by seq.`, {
    fix: 'Give an entry for each seq of the journal, from 1 on and in order.',
  });
}

function changedError(revs: { readonly expectedRev: number; readonly rev: number }): VarveError {
  return new VarveError('VARVE_STORE_CONFLICT', `The record has rev ${revs.rev}, and not ${revs.expectedRev}.`, {
    fix: 'Read the record again, and decide whether the session is to go all the same.',
    details: revs,
  });
}

function lockedError(sessionId: string): VarveError {
  return new VarveError('VARVE_STORE_LOCKED', `Session "${sessionId}" is open for writing.`, {
    fix: 'Close it first.',
    details: { sessionId },
  });
}

function missingError(sessionId: string): VarveError {
  return new VarveError('VARVE_STORE_MISSING', `There is no journal of session "${sessionId}".`, {
    fix: 'Check the session id, or pass `create` with a header to begin a journal.',
    details: { sessionId },
  });
}

function readOnlyError(sessionId: string): VarveError {
  return new VarveError('VARVE_STORE_READ_ONLY', `The journal of session "${sessionId}" was opened for reading only.`, {
    fix: 'Open it without `readOnly`.',
    details: { sessionId },
  });
}

function replacedError(sessionId: string): VarveError {
  return new VarveError('VARVE_STORE_CONFLICT', `Somebody else has replaced the journal of session "${sessionId}".`, {
    fix: 'Read its tail, and append what still stands.',
    details: { sessionId },
  });
}

function closedError(what: 'journal' | 'store'): VarveError {
  return new VarveError('VARVE_STORE_CLOSED', `The ${what} was used after it had been closed.`, {
    fix: `Open the ${what} again.`,
  });
}
