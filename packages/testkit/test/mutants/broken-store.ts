import { type Journal, memoryStore, type Store, VarveError } from '@varve/core';
import type { StoreSubject } from '@varve/testkit';

type OpenOptions = NonNullable<Parameters<Store['open']>[1]>;

/** What a broken journal knows of itself. */
export interface JournalTrial {
  readonly sessionId: string;
  readonly options: OpenOptions;
  /** How often the store was opened again. */
  readonly restarts: number;
  /** What the parts of a broken store share. */
  readonly shared: Map<string, unknown>;
  /** The healthy store beneath. */
  readonly healthy: Store;
}

/** In which ways a store is broken. */
export interface Breakage {
  /** Replaces methods of every journal. */
  readonly journal?: (journal: Journal, trial: JournalTrial) => Partial<Journal>;
  /** Replaces how a journal is opened. */
  readonly open?: (sessionId: string, trial: JournalTrial) => Promise<Journal>;
  readonly store?: (healthy: Store, restarts: number) => Partial<Store>;
}

/** A memory store that is broken in the given ways, and nowhere else. */
export function brokenStore(breakage: Breakage): StoreSubject {
  const healthy = memoryStore();
  const shared = new Map<string, unknown>();
  let restarts = 0;
  const make = (): Store => ({
    ...healthy,
    open: async (sessionId, options = {}) => {
      const trial = { sessionId, options, restarts, shared, healthy };
      const journal = await (breakage.open?.(sessionId, trial) ?? healthy.open(sessionId, options));
      return { ...journal, ...breakage.journal?.(journal, trial) };
    },
    ...breakage.store?.(healthy, restarts),
  });
  const reopen = async (): Promise<Store> => {
    restarts += 1;
    return make();
  };
  return { store: make(), reopen };
}

/** An error as a store throws it. */
export function storeError(
  code: 'VARVE_STORE_IO' | 'VARVE_ENTRY_INVALID' | 'VARVE_STORE_LOCKED' | 'VARVE_STORE_CLOSED',
): VarveError {
  return new VarveError(code, 'Made by a mutant.', { fix: 'Nothing: it is broken on purpose.' });
}
