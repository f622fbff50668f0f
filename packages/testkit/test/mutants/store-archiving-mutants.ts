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
    'packs what is not there',
    'says whether it packs journals',
    archivesAs((archives) => ({
      pack: (sessionId) =>
        archives.pack(sessionId).catch((error: unknown) => {
          if (VarveError.is(error, 'VARVE_STORE_MISSING')) return { bytes: 0, journalBytes: 0 };
          throw error;
        }),
    })),
  ),
  mutant(
    'lists no more than one packed journal',
    'lists what is packed, whatever its id',
    archivesAs((archives) => ({ list: async () => (await archives.list()).slice(0, 1) })),
  ),
  mutant(
    'loses the last entry of what it packs',
    ['reads a packed journal as before', 'keeps a packed journal after a restart'],
    {
      journal: (journal, { sessionId, options, healthy }) => ({
        async *read(range) {
          const isPacked = options.readOnly === true && (await healthy.archives?.list())?.includes(sessionId) === true;
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
    ['unpacks a journal that is opened for writing', 'removes a journal with the record of its session'],
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
        list: async () => [...new Set([...packed, ...(await archives.list())])],
      };
    }),
  ),
  mutant(
    'fails to unpack what is not packed',
    'unpacks a journal that is asked for, and packs it again',
    archivesAs((archives) => ({
      unpack: async (sessionId) => {
        const wasPacked = (await archives.list()).includes(sessionId);
        await archives.unpack(sessionId);
        if (!wasPacked) throw storeError('VARVE_STORE_IO');
      },
    })),
  ),
  mutant(
    'packs what somebody writes to',
    'packs no journal that is being written to',
    archivesAs((archives) => ({
      pack: (sessionId) =>
        archives.pack(sessionId).catch((error: unknown) => {
          if (VarveError.is(error, 'VARVE_STORE_LOCKED')) return { bytes: 1, journalBytes: 1 };
          throw error;
        }),
    })),
  ),
  mutant(
    'forgets at a restart what is packed',
    'keeps a packed journal after a restart',
    archivesAs((archives, _healthy, restarts) => ({
      list: async () => (restarts === 0 ? archives.list() : []),
    })),
  ),
];
