import { type Entry, type JournalArchives, type Store, VarveError } from '@varve/core';
import type { StoreSubject } from '@varve/testkit';
import { type Breakage, storeError } from './broken-store.ts';
import type { Mutant } from './mutant.ts';
import { mutant } from './store-mutants.ts';

/** Replaces how journals are put away. */
function archivesAs(
  change: (archives: JournalArchives, healthy: Store, restarts: number) => Partial<JournalArchives>,
): Breakage {
  return {
    store: (healthy, restarts) => {
      const { archives } = healthy;
      return archives === undefined ? {} : { archives: { ...archives, ...change(archives, healthy, restarts) } };
    },
  };
}

/** Stores that put journals away in a wrong way. */
export const archivingStoreMutants: readonly Mutant<StoreSubject>[] = [
  mutant(
    'takes what is not there for a journal that is not packed',
    ['says whether it packs journals', 'removes a journal with the record of its session'],
    archivesAs((archives) => ({ isPacked: async (sessionId) => (await archives.isPacked(sessionId)) ?? false })),
  ),
  mutant(
    'loses the last entry of what it packs',
    ['reads a packed journal as before', 'keeps a packed journal after a restart'],
    {
      journal: (journal, { sessionId, options, healthy }) => ({
        async *read(range) {
          const isPacked = options.readOnly === true && (await healthy.archives?.isPacked(sessionId)) === true;
          let last: Entry | null = null;
          for await (const entry of journal.read(range)) {
            if (last !== null) yield last;
            last = entry;
          }
          if (last !== null && !isPacked) yield last;
        },
      }),
    },
  ),
  mutant(
    'takes a journal for packed until somebody asks for it',
    'unpacks a journal that is opened for writing',
    archivesAs((archives) => {
      const packed = new Set<string>();
      return {
        pack: (sessionId) => {
          packed.add(sessionId);
          return archives.pack(sessionId);
        },
        unpack: (sessionId) => {
          packed.delete(sessionId);
          return archives.unpack(sessionId);
        },
        isPacked: async (sessionId) => {
          const isPacked = await archives.isPacked(sessionId);
          return isPacked === null ? null : packed.has(sessionId) || isPacked;
        },
      };
    }),
  ),
  mutant(
    'fails to unpack what is not packed',
    'unpacks a journal that is asked for, and packs it again',
    archivesAs((archives) => ({
      unpack: async (sessionId) => {
        if ((await archives.isPacked(sessionId)) === false) throw storeError('VARVE_STORE_IO');
        await archives.unpack(sessionId);
      },
    })),
  ),
  mutant(
    'packs what somebody writes to',
    'leaves a journal that is being written to where it is',
    archivesAs((archives) => ({
      pack: (sessionId) =>
        archives.pack(sessionId).catch((error: unknown) => {
          if (VarveError.is(error, 'VARVE_STORE_LOCKED')) return { bytes: 1, journalBytes: 1 };
          throw error;
        }),
    })),
  ),
  mutant(
    'removes a session whatever has become of it',
    'removes a journal with the record of its session',
    archivesAs((archives, healthy) => ({
      remove: async (sessionId) => {
        const { rev = 0 } = (await healthy.sessions.get(sessionId)) ?? {};
        await archives.remove(sessionId, { expectedRev: rev });
      },
    })),
  ),
  mutant(
    'forgets at a restart what is packed',
    'keeps a packed journal after a restart',
    archivesAs((archives, _healthy, restarts) => ({
      isPacked: async (sessionId) => {
        const isPacked = await archives.isPacked(sessionId);
        return isPacked === true ? restarts === 0 : isPacked;
      },
    })),
  ),
];
