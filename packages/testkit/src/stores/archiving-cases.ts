import type { Entry, JournalArchives, Store } from '@varve/core';
import { assertEqual, assertFails } from '../assert.ts';
import { beginJournal, checkpointFrom, collectEntries, messageEntries, messageEntry } from '../journal-entries.ts';
import { acrossRestart, assertHolds, onStore, type StoreCase } from './store-subject.ts';

const where: Pick<StoreCase, 'needs' | 'unless'> = {
  needs: ({ store }) => store.archives !== undefined,
  unless: 'the store packs no journals: it has no `archives`',
};

function onArchives(
  name: string,
  why: string,
  prove: (store: Store, archives: JournalArchives) => Promise<void>,
): StoreCase {
  return { ...onStore(name, why, (store) => prove(store, archivesOf(store))), ...where };
}

function archivesOf({ archives }: Store): JournalArchives {
  if (archives === undefined) throw new Error('The store has no archives any more.');
  return archives;
}

/** Begins the session `one`, closes it, and packs it. */
async function packed(store: Store): Promise<readonly Entry[]> {
  const journal = await beginJournal(store);
  await journal.append(messageEntries(1, 6), { expectedSeq: 0, checkpoint: checkpointFrom(4) });
  await journal.append(messageEntries(7, 9), { expectedSeq: 6 });
  await journal.close();
  await archivesOf(store).pack('one');
  return messageEntries(1, 9);
}

/** Journals that nobody writes to are put away: what is in them must stay within reach. */
export const archivingCases: readonly StoreCase[] = [
  onArchives(
    'says whether it packs journals',
    'Whoever looks after a store plans by it.',
    async ({ supports }, archives) => {
      assertEqual(
        ['compressed', 'marked'].includes(String(supports.archives)),
        true,
        'that `supports.archives` says how',
      );
      assertEqual(await archives.list(), [], 'what is packed in an empty store');
      await assertFails(() => archives.pack('one'), 'VARVE_STORE_MISSING', 'packing it');
      await assertFails(() => archives.unpack('one'), 'VARVE_STORE_MISSING', 'unpacking it');
    },
  ),
  onArchives(
    'lists what is packed, whatever its id',
    'Whoever looks after thousands of sessions asks once which of them are left to be packed.',
    async (store, archives) => {
      const agents: Readonly<Record<string, string>> = { one: 'main', two: 'Ada', ['long '.repeat(80)]: 'Bob' };
      for (const [sessionId, agentId] of Object.entries(agents)) {
        const journal = await store.open(sessionId, { create: { v: 1, sessionId, createdAt: 1, agentId } });
        await journal.append([messageEntry(1)], { expectedSeq: 0 });
        await journal.close();
      }
      const [one = '', two = '', long = ''] = Object.keys(agents);
      for (const sessionId of [long, one]) await archives.pack(sessionId);
      assertEqual([...(await archives.list())].sort(), [long, one], 'what is packed');
      await archives.pack(two);
      await archives.unpack(long);
      assertEqual([...(await archives.list())].sort(), [one, two], 'what is packed then');
    },
  ),
  onArchives(
    'reads a packed journal as before',
    'What is put away is still looked at, searched and quoted.',
    async (store, archives) => {
      const entries = await packed(store);
      assertEqual(await archives.list(), ['one'], 'what is packed');
      const journal = await store.open('one', { readOnly: true });
      assertEqual(journal.header.sessionId, 'one', 'whose journal it is');
      assertEqual(await collectEntries(journal.read()), entries, 'all entries');
      assertEqual(await collectEntries(journal.read({ fromSeq: 3, toSeq: 5 })), entries.slice(2, 5), 'a range');
      assertEqual(await journal.tail(), { checkpoint: checkpointFrom(4), entries: entries.slice(3) }, 'the tail');
      const [, , third, , , , , eighth] = entries;
      assertEqual(await journal.get([8, String(third?.id)]), [eighth, third], 'two entries');
      await journal.close();
      assertEqual(await archives.list(), ['one'], 'what is packed when it was read');
    },
  ),
  onArchives(
    'unpacks a journal that is opened for writing',
    'A conversation that somebody takes up again goes on as if it had never been put away.',
    async (store, archives) => {
      const entries = await packed(store);
      const journal = await store.open('one');
      assertEqual(await archives.list(), [], 'what is packed');
      await journal.append([messageEntry(10)], { expectedSeq: 9 });
      assertEqual(await collectEntries(journal.read()), [...entries, messageEntry(10)], 'all entries');
      await journal.close();
    },
  ),
  onArchives(
    'unpacks a journal that is asked for, and packs it again',
    'What was put away by mistake comes back, any number of times.',
    async (store, archives) => {
      const entries = await packed(store);
      for (const _time of [1, 2]) {
        await archives.unpack('one');
        await archives.unpack('one');
        assertEqual(await archives.list(), [], 'what is packed');
        await archives.pack('one');
        const { bytes, journalBytes } = await archives.pack('one');
        assertEqual([bytes > 0, journalBytes > 0], [true, true], 'that there are sizes');
      }
      await assertHolds(store, entries);
    },
  ),
  {
    ...onArchives(
      'packs no journal that is being written to',
      'A writer would write to what is about to go.',
      async (store, archives) => {
        const journal = await beginJournal(store);
        await journal.append(messageEntries(1, 2), { expectedSeq: 0 });
        await assertFails(() => archives.pack('one'), 'VARVE_STORE_LOCKED', 'packing it');
        await journal.append([messageEntry(3)], { expectedSeq: 2 });
        assertEqual(await collectEntries(journal.read()), messageEntries(1, 3), 'all entries');
        await journal.close();
      },
    ),
    needs: ({ store }) => store.archives !== undefined && store.supports.multiProcess !== 'full',
    unless: 'the store packs no journals, or only marks what any number of processes may write to',
  },
  {
    ...acrossRestart(
      'keeps a packed journal after a restart',
      'It is put away for months.',
      async ({ store, reopen }) => {
        const entries = await packed(store);
        const again = await reopen();
        assertEqual(await archivesOf(again).list(), ['one'], 'what is packed');
        const journal = await again.open('one', { readOnly: true });
        assertEqual(await collectEntries(journal.read()), entries, 'all entries');
        await journal.close();
        await assertHolds(again, entries, 'all entries, read by a writer');
      },
    ),
    needs: ({ store, reopen }) => store.archives !== undefined && reopen !== undefined,
    unless: 'the store packs no journals, or nobody said how to open it again',
  },
];
