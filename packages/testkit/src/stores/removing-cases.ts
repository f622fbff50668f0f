import { type Store, systemClock } from '@varve/core';
import { assertEqual, assertFails } from '../assert.ts';
import { beginJournal, collectEntries, messageEntries, messageEntry } from '../journal-entries.ts';
import { assertHolds, onStore, type StoreCase } from './store-subject.ts';

type Remove = NonNullable<Store['remove']>;

const isThere = ({ remove }: Store): boolean => remove !== undefined;

function onRemoval(name: string, why: string, prove: (store: Store, remove: Remove) => Promise<void>): StoreCase {
  const removeFrom =
    (store: Store): Remove =>
    async (sessionId, options) => {
      if (store.remove === undefined) throw new Error('The store deletes nothing any more.');
      await store.remove(sessionId, options);
    };
  return {
    ...onStore(name, why, (store) => prove(store, removeFrom(store))),
    needs: ({ store }) => isThere(store),
    unless: 'the store deletes nothing: it has no `remove`',
  };
}

/** Sessions that are to be gone after a time: they must be gone then, and nothing that is needed. */
export const removingCases: readonly StoreCase[] = [
  onRemoval(
    'removes a journal with the record of its session',
    'What has to be deleted after a time must be gone then, and nothing beside it.',
    async (store, remove) => {
      for (const sessionId of ['one', 'one-more']) {
        const journal = await beginJournal(store, sessionId);
        await journal.append(messageEntries(1, 3), { expectedSeq: 0 });
        await journal.close();
        await store.archives?.pack(sessionId);
        await store.sessions.put(sessionId, { key: 'a key', state: 'archived' }, { expectedRev: 0 });
      }
      const late = (): unknown => remove('one', { expectedRev: 2 });
      await assertFails(late, 'VARVE_STORE_CONFLICT', 'removing it by a record that is not as it was');
      await remove('one', { expectedRev: 1 });
      await assertFails(() => store.open('one', { readOnly: true }), 'VARVE_STORE_MISSING', 'opening it');
      await assertFails(() => remove('one', { expectedRev: 0 }), 'VARVE_STORE_MISSING', 'removing it again');
      assertEqual(await store.sessions.get('one'), null, 'its record');
      if (store.archives !== undefined) assertEqual(await store.archives.list(), ['one-more'], 'what is packed');
      const listed = await store.sessions.list({ key: 'a key' });
      assertEqual(
        listed.map(({ sessionId }) => sessionId),
        ['one-more'],
        'the sessions of its key',
      );
      await assertHolds(store, [], 'a journal of the same name that is begun later');
    },
  ),
  onRemoval(
    'removes a record that has no journal, and a journal that has no record',
    'A process that ended between the two left one of them; it must not stay for ever.',
    async (store, remove) => {
      await store.sessions.put('one', { key: 'a key' }, { expectedRev: 0 });
      await remove('one', { expectedRev: 1 });
      assertEqual(await store.sessions.get('one'), null, 'the record');
      await (await beginJournal(store)).close();
      await remove('one', { expectedRev: 0 });
      await assertFails(() => store.open('one', { readOnly: true }), 'VARVE_STORE_MISSING', 'opening the journal');
    },
  ),
  {
    ...onRemoval(
      'removes no journal that is being written to',
      'A writer would write to what is about to go.',
      async (store, remove) => {
        const journal = await beginJournal(store);
        await journal.append(messageEntries(1, 2), { expectedSeq: 0 });
        await assertFails(() => remove('one', { expectedRev: 0 }), 'VARVE_STORE_LOCKED', 'removing it');
        await journal.append([messageEntry(3)], { expectedSeq: 2 });
        assertEqual(await collectEntries(journal.read()), messageEntries(1, 3), 'all entries');
        await journal.close();
      },
    ),
    needs: ({ store }) => isThere(store) && store.supports.multiProcess !== 'full',
    unless: 'the store deletes nothing, or any number of processes may write to a journal of it: a lease protects that',
  },
  {
    ...onRemoval(
      'removes no session in which a host takes a turn',
      'An answer would be lost with what it answers.',
      async (store, remove) => {
        const journal = await beginJournal(store);
        await journal.append(messageEntries(1, 2), { expectedSeq: 0 });
        await journal.close();
        const lease = { owner: 'another host', fence: 1, untilAt: systemClock.now() + 3_600_000 };
        await store.sessions.put('one', { lease }, { expectedRev: 0 });
        await assertFails(() => remove('one', { expectedRev: 1 }), 'VARVE_STORE_LOCKED', 'removing it');
        const kept = await store.open('one', { readOnly: true });
        assertEqual(await collectEntries(kept.read()), messageEntries(1, 2), 'all entries of what was not removed');
        await kept.close();
        await store.sessions.put('one', { lease: { ...lease, untilAt: 1 } }, { expectedRev: 1 });
        const without = (): unknown => remove('one', { expectedRev: 1 });
        await assertFails(without, 'VARVE_STORE_CONFLICT', 'removing it by the record with the lease');
        await remove('one', { expectedRev: 2 });
        assertEqual(await store.sessions.get('one'), null, 'its record when the lease is over');
      },
    ),
    needs: ({ store }) => isThere(store) && store.supports.multiProcess === 'full',
    unless: 'the store deletes nothing, or one process at a time writes to a journal of it: its lock protects that',
  },
];
