import { type Store, VarveError } from '@varve/core';
import type { StoreSubject } from '@varve/testkit';
import type { Breakage } from './broken-store.ts';
import type { Mutant } from './mutant.ts';
import { mutant } from './store-mutants.ts';

type Remove = NonNullable<Store['remove']>;

/** Replaces how sessions are removed. */
function removingAs(change: (remove: Remove, healthy: Store) => Remove, more: Partial<Store> = {}): Breakage {
  return {
    store: (healthy) => {
      const { remove } = healthy;
      return remove === undefined ? {} : { ...more, remove: change(remove, healthy) };
    },
  };
}

/** Stores that remove sessions in a wrong way. */
export const removingStoreMutants: readonly Mutant<StoreSubject>[] = [
  mutant(
    'removes a session whatever has become of it',
    'removes a journal with the record of its session',
    removingAs((remove, { sessions }) => async (sessionId) => {
      const { rev = 0 } = (await sessions.get(sessionId)) ?? {};
      await remove(sessionId, { expectedRev: rev });
    }),
  ),
  mutant(
    'removes nothing that has no record',
    [
      'removes a record that has no journal, and a journal that has no record',
      'removes a journal with the record of its session',
      'removes no journal that is being written to',
    ],
    removingAs((remove, { sessions }) => async (sessionId, options) => {
      if ((await sessions.get(sessionId)) !== null) await remove(sessionId, options);
    }),
  ),
  mutant(
    'says that what somebody writes to is removed',
    'removes no journal that is being written to',
    removingAs((remove) => async (sessionId, options) => {
      try {
        await remove(sessionId, options);
      } catch (error) {
        if (!VarveError.is(error, 'VARVE_STORE_LOCKED')) throw error;
      }
    }),
  ),
  mutant(
    'removes a session that a host has a lease of',
    'removes no session in which a host takes a turn',
    removingAs(
      (remove, { sessions }) =>
        async (sessionId, { expectedRev }) => {
          const record = await sessions.get(sessionId);
          if (record?.rev !== expectedRev || record.lease === null) return remove(sessionId, { expectedRev });
          await sessions.put(sessionId, { lease: null }, { expectedRev });
          await remove(sessionId, { expectedRev: expectedRev + 1 });
        },
      { supports: { multiProcess: 'full', archives: 'marked' } },
    ),
  ),
];
