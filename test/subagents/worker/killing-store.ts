import type { Journal, Store } from '@varve/core';

/** A store that kills its process. */
export interface KillingStore {
  readonly store: Store;
  /** Counts operations from now on, and kills the process with one of them. */
  count(kill: { readonly at: number | null; readonly isDone: boolean }): void;
  /** Operations that were counted. */
  readonly operations: number;
}

/** Wraps a store whose operations can be the last ones of the process. */
export function killingStore(inner: Store): KillingStore {
  let operations = 0;
  let kill: { readonly at: number | null; readonly isDone: boolean } | null = null;
  const step = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (kill === null) return work();
    operations += 1;
    if (operations !== kill.at) return work();
    if (kill.isDone) await work().catch(() => undefined);
    process.kill(process.pid, 'SIGKILL');
    return new Promise(() => undefined);
  };
  const killing = (journal: Journal): Journal => ({
    ...journal,
    append: (entries, options) => step(() => journal.append(entries, options)),
    close: () => step(() => journal.close()),
  });
  return {
    count: (given) => {
      kill = given;
    },
    get operations() {
      return operations;
    },
    store: {
      ...inner,
      open: (sessionId, options) => step(async () => killing(await inner.open(sessionId, options))),
      sessions: {
        get: (sessionId) => inner.sessions.get(sessionId),
        list: (query) => inner.sessions.list(query),
        put: (sessionId, patch, options) => step(() => inner.sessions.put(sessionId, patch, options)),
      },
    },
  };
}
