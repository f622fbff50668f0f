import { createHost, type Entry, type Journal, type Session, type Store } from '@varve/core';
import { entryProblem } from '@varve/core/host';
import { jsonlStore } from '@varve/stores/jsonl';

/** A session that is only read. */
export interface ReadSession extends AsyncDisposable {
  readonly session: Session;
  /** Entries read so far that are not what they ought to be, and what is wrong with the last. They are left out. */
  malformed(): Malformed;
}

/** Lines of a journal that are no entries as Varve writes them. */
interface Malformed {
  readonly count: number;
  /** Empty for none. */
  readonly problem: string;
}

/**
 * Opens a journal for reading: nothing is locked, nothing is made, and entries that anybody may have put there can
 * neither break nor hang what reads them.
 *
 * @throws VARVE_STORE_MISSING
 */
export async function openJournal(root: string, sessionId: string): Promise<ReadSession> {
  const problems = new Map<number, string>();
  const store = jsonlStore({ root });
  const host = await createHost({ store: soundStore(store, problems) });
  const close = async (): Promise<void> => {
    await host.close();
    await store[Symbol.asyncDispose]();
  };
  try {
    const session = await host.open(sessionId, { readOnly: true });
    const malformed = (): Malformed => ({ count: problems.size, problem: [...problems.values()].at(-1) ?? '' });
    return { session, malformed, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A store whose journals leave out what is no entry; `problems` is told of it by its seq. */
export function soundStore(store: Store, problems: Map<number, string>): Store {
  const { supports, sessions } = store;
  return {
    supports,
    sessions,
    open: async (sessionId, options) => soundJournal(await store.open(sessionId, options), problems),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

function soundJournal(journal: Journal, problems: Map<number, string>): Journal {
  const isSound = (entry: Entry): boolean => {
    const problem = entryProblem(entry);
    if (problem !== null) problems.set(entry.seq, problem);
    return problem === null;
  };
  return {
    ...journal,
    tail: async () => {
      const { checkpoint, entries } = await journal.tail();
      return { checkpoint, entries: entries.filter(isSound) };
    },
    read: async function* (range) {
      for await (const entry of journal.read(range)) if (isSound(entry)) yield entry;
    },
    get: async (seqsOrIds) => (await journal.get(seqsOrIds)).filter(isSound),
  };
}
