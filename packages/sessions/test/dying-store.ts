import type { Journal, Store } from '@varve/core';

/** A store that dies, as its process would. */
export interface DyingStore {
  readonly store: Store;
  /** Resolves when it has died. */
  readonly died: Promise<void>;
  /** Says when it is to die, counted from now on. */
  dieAt(death: Death): void;
}

/** When a store dies. */
export interface Death {
  /** Number of the operation that is the last one, from 1 on. */
  readonly at: number;
  /** Whether that operation is still carried out; nobody learns of it. */
  readonly isDone: boolean;
}

/**
 * Wraps a store that dies with one of its operations. That one, and all after it, never end: whoever waits for them does
 * nothing any more, and what lies in the store is what a process leaves behind that is killed there.
 */
export function dyingStore(inner: Store, first: Death = { at: Number.POSITIVE_INFINITY, isDone: true }): DyingStore {
  let { at, isDone } = first;
  let count = 0;
  let die = (): void => undefined;
  const died = new Promise<void>((resolve) => {
    die = resolve;
  });
  const step = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    count += 1;
    if (count < at) return work();
    if (count === at) {
      if (isDone) await work().catch(() => undefined);
      die();
    }
    return new Promise(() => undefined);
  };
  const dyingJournal = (journal: Journal): Journal => ({
    ...journal,
    append: (entries, options) => step(() => journal.append(entries, options)),
    tail: () => step(() => journal.tail()),
    get: (ids) => step(() => journal.get(ids)),
    close: () => step(() => journal.close()),
  });
  return {
    died,
    dieAt: (death) => {
      ({ at, isDone } = death);
      count = 0;
    },
    store: {
      ...inner,
      open: (sessionId, options) => step(async () => dyingJournal(await inner.open(sessionId, options))),
      sessions: {
        get: (sessionId) => step(() => inner.sessions.get(sessionId)),
        put: (sessionId, patch, options) => step(() => inner.sessions.put(sessionId, patch, options)),
        list: (query) => step(() => inner.sessions.list(query)),
      },
    },
  };
}
