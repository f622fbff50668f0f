import type { Journal, JournalBatch } from '@varve/core';
import { assertEqual, assertFails } from '../assert.ts';
import { beginJournal, checkpointFrom, messageEntries, messageEntry } from '../journal-entries.ts';
import { acrossRestart, assertHolds, assertReads, onStore, type StoreCase } from './store-subject.ts';

const conflict = 'VARVE_STORE_CONFLICT';

const newEntry = (seq: number) => messageEntry(seq, `new ${seq}`);
const newEntries = (fromSeq: number, toSeq: number) =>
  messageEntries(fromSeq, toSeq).map((entry) => newEntry(entry.seq));

/** A journal's new content; a number among the batches is where it fails. */
async function* content(...batches: readonly (JournalBatch | number)[]): AsyncGenerator<JournalBatch> {
  for (const batch of batches) {
    if (typeof batch === 'number') throw new Error('The new journal could not be made.');
    await Promise.resolve();
    yield batch;
  }
}

/** New content made of the old while that is read, as core makes it. */
async function* renewed(journal: Journal): AsyncGenerator<JournalBatch> {
  for await (const { seq } of journal.read()) yield { entries: [newEntry(seq)] };
}

/** A journal can be replaced whole by one with the same seqs: what somebody wants forgotten must go from the disk too. */
export const replacingCases: readonly StoreCase[] = [
  onStore(
    'replaces a journal by another with the same seqs',
    'Forgetting is to put another text in the place of an entry.',
    async (store) => {
      const journal = await beginJournal(store);
      await journal.append(messageEntries(1, 9), { expectedSeq: 0 });
      const batches = content({ entries: newEntries(1, 4) }, { entries: newEntries(5, 9) });
      await journal.replace(batches, { expectedSeq: 9 });
      await assertReads(journal, newEntries(1, 9));
      assertEqual(await journal.get([3, newEntry(7).id]), [newEntry(3), newEntry(7)], 'two entries');
      assertEqual(await journal.append([messageEntry(10)], { expectedSeq: 9 }), { seq: 10 }, 'an append behind it');
      const expected = { checkpoint: null, entries: [...newEntries(1, 9), messageEntry(10)] };
      assertEqual(await journal.tail(), expected, 'the tail');
    },
  ),
  onStore(
    'replaces a journal by what is made of it while it is read',
    'A long journal is made anew entry by entry: nobody can hold all of it.',
    async (store) => {
      const journal = await beginJournal(store);
      await journal.append(messageEntries(1, 300), { expectedSeq: 0 });
      await journal.replace(renewed(journal), { expectedSeq: 300 });
      await assertReads(journal, newEntries(1, 300));
    },
  ),
  onStore(
    'keeps nothing of what was replaced',
    'An id or a checkpoint of the old journal would lead to what was to be forgotten.',
    async (store) => {
      const journal = await beginJournal(store);
      const checkpoint = checkpointFrom(3, { secret: 'old' });
      await journal.append(messageEntries(1, 5), { expectedSeq: 0, checkpoint });
      const others = newEntries(1, 5).map((entry) => ({ ...entry, id: `other ${entry.seq}` }));
      await journal.replace(content({ entries: others }), { expectedSeq: 5 });
      assertEqual(await journal.get([messageEntry(2).id, 'other 2']), [others[1]], 'entries by their old and new ids');
      assertEqual(await journal.tail(), { checkpoint: null, entries: others }, 'the tail');
      assertEqual((await journal.tail()).checkpoint, null, 'the checkpoint');
    },
  ),
  onStore(
    'takes the last checkpoint of a replacement for the newest',
    'Where reading may start belongs to the new entries, not to the old ones.',
    async (store) => {
      const journal = await beginJournal(store);
      await journal.append(messageEntries(1, 8), { expectedSeq: 0, checkpoint: checkpointFrom(7) });
      const batches = content(
        { entries: newEntries(1, 3), checkpoint: checkpointFrom(2) },
        { entries: newEntries(4, 6), checkpoint: checkpointFrom(5) },
        { entries: newEntries(7, 8) },
      );
      await journal.replace(batches, { expectedSeq: 8 });
      assertEqual(await journal.tail(), { checkpoint: checkpointFrom(5), entries: newEntries(5, 8) }, 'the tail');
    },
  ),
  onStore(
    'refuses a replacement that does not know of the newest entries',
    'What somebody appended meanwhile would be lost.',
    async (store) => {
      const journal = await beginJournal(store);
      await journal.append(messageEntries(1, 3), { expectedSeq: 0 });
      for (const expectedSeq of [2, 4]) {
        const late = (): unknown => journal.replace(content({ entries: newEntries(1, expectedSeq) }), { expectedSeq });
        await assertFails(late, conflict, `a replacement made for seq ${expectedSeq}`);
      }
      await assertReads(journal, messageEntries(1, 3));
    },
  ),
  onStore(
    'refuses a replacement that has not every seq',
    'Entries name each other by seq: none may move, go or come.',
    async (store) => {
      const journal = await beginJournal(store);
      await journal.append(messageEntries(1, 3), { expectedSeq: 0 });
      const wrong = [newEntries(1, 2), newEntries(1, 4), newEntries(2, 3), [newEntry(1), newEntry(3), newEntry(2)]];
      for (const entries of wrong) {
        const seqs = entries.map(({ seq }) => seq).join();
        const replace = (): unknown => journal.replace(content({ entries }), { expectedSeq: 3 });
        await assertFails(replace, conflict, `a replacement with the seqs ${seqs}`);
      }
      await assertReads(journal, messageEntries(1, 3));
      await journal.append([messageEntry(4)], { expectedSeq: 3 });
      await assertReads(journal, messageEntries(1, 4), 'what was appended after the refusals');
    },
  ),
  onStore(
    'keeps the journal when its replacement cannot be made',
    'Half a new journal is neither the old nor the new one.',
    async (store) => {
      const journal = await beginJournal(store);
      await journal.append(messageEntries(1, 4), { expectedSeq: 0, checkpoint: checkpointFrom(2) });
      const replace = (): unknown => journal.replace(content({ entries: newEntries(1, 2) }, 1), { expectedSeq: 4 });
      const failed = await Promise.resolve(replace()).then(
        () => null,
        (error: Error) => error.message,
      );
      assertEqual(failed, 'The new journal could not be made.', 'the error');
      assertEqual(await journal.tail(), { checkpoint: checkpointFrom(2), entries: messageEntries(2, 4) }, 'the tail');
      await journal.append([messageEntry(5)], { expectedSeq: 4 });
      await assertReads(journal, messageEntries(1, 5));
    },
  ),
  acrossRestart(
    'keeps a replacement after a restart',
    'What was forgotten must not come back with the next process.',
    async ({ store, reopen }) => {
      const journal = await beginJournal(store);
      await journal.append(messageEntries(1, 6), { expectedSeq: 0 });
      const batches = content({ entries: newEntries(1, 6), checkpoint: checkpointFrom(4) });
      await journal.replace(batches, { expectedSeq: 6 });
      await journal.append([messageEntry(7)], { expectedSeq: 6 });
      await journal.close();
      const again = await reopen();
      await assertHolds(again, [...newEntries(1, 6), messageEntry(7)]);
      const { checkpoint } = await (await again.open('one', { readOnly: true })).tail();
      assertEqual(checkpoint, checkpointFrom(4), 'the checkpoint');
    },
  ),
  onStore(
    'lets neither readers nor those who have closed it replace a journal',
    'Looking at a session must not change it.',
    async (store) => {
      const journal = await beginJournal(store);
      await journal.append(messageEntries(1, 2), { expectedSeq: 0 });
      const replace = (by: Journal): unknown => by.replace(content({ entries: newEntries(1, 2) }), { expectedSeq: 2 });
      const reader = await store.open('one', { readOnly: true });
      await assertFails(() => replace(reader), 'VARVE_STORE_READ_ONLY', 'a replacement by a reader');
      await journal.close();
      await assertFails(() => replace(journal), 'VARVE_STORE_CLOSED', 'a replacement by a closed journal');
      await assertReads(reader, messageEntries(1, 2));
    },
  ),
];
