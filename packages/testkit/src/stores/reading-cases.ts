import { type Entry, type Journal, type Store, VarveError } from '@varve/core';
import { assertEqual, assertThat } from '../assert.ts';
import { beginJournal, collectEntries, entryIdOf, messageEntries, messageEntry } from '../journal-entries.ts';
import { hostileIds } from './hostile-ids.ts';
import { acrossRestart, assertReads, onStore, type StoreCase } from './store-subject.ts';

/** Any part of a journal can be read, by anybody, at any time. */
export const readingCases: readonly StoreCase[] = [
  onStore('reads ranges, both ends included', 'Expanding a summary reads exactly what it covers.', async (store) => {
    const journal = await beginJournal(store);
    await journal.append(messageEntries(1, 500), { expectedSeq: 0 });
    const ranges: readonly (readonly [fromSeq: number, toSeq: number])[] = [
      [1, 1],
      [200, 300],
      [500, 900],
      [-3, 2],
    ];
    for (const [fromSeq, toSeq] of ranges) {
      const expected = messageEntries(Math.max(1, fromSeq), Math.min(500, toSeq));
      assertEqual(await collectEntries(journal.read({ fromSeq, toSeq })), expected, `entries ${fromSeq} to ${toSeq}`);
    }
    assertEqual(await collectEntries(journal.read({ fromSeq: 499 })), messageEntries(499, 500), 'entries from 499');
  }),
  onStore('reads nothing from a range that holds nothing', 'Asking beyond the end is no error.', async (store) => {
    const journal = await beginJournal(store);
    await assertReads(journal, [], 'an empty journal');
    await journal.append(messageEntries(1, 20), { expectedSeq: 0 });
    for (const range of [{ toSeq: 0 }, { fromSeq: 21 }, { fromSeq: 9, toSeq: 8 }]) {
      assertEqual(await collectEntries(journal.read(range)), [], `entries of ${JSON.stringify(range)}`);
    }
  }),
  onStore(
    'gets entries by seq and id in the order asked for',
    'Explaining a prompt asks for single entries, some of them twice.',
    async (store) => {
      const journal = await beginJournal(store);
      const prefixes = ['a', 'ab', 'abc', 'a"b', ''].map((id, index) => ({ ...messageEntry(index + 1), id }));
      await journal.append([...prefixes, ...messageEntries(6, 400)], { expectedSeq: 0 });
      const found = await journal.get([300, 'ab', entryIdOf(7), 3, 'a', 300, 'a"b', '']);
      assertEqual(
        found.map(({ seq }) => seq),
        [300, 2, 7, 3, 1, 300, 4, 5],
        'the seqs that were found',
      );
    },
  ),
  onStore(
    'leaves out entries that nobody knows',
    'A seq or an id comes from a person or a model: it may be anything.',
    async (store) => {
      const journal = await beginJournal(store);
      await journal.append(messageEntries(1, 9), { expectedSeq: 0 });
      const found = await journal.get([0, -1, 10, 'nobody', 1.5, Number.NaN, '', 4]);
      assertEqual(found, [messageEntry(4)], 'what was found');
      assertEqual(await journal.get([]), [], 'what was found of nothing');
    },
  ),
  onStore(
    'reads on while entries are appended, up to where it began',
    'A long read must neither fail nor go on for ever because the conversation does.',
    async (store) => {
      const journal = await beginJournal(store);
      await journal.append(messageEntries(1, 50), { expectedSeq: 0 });
      const seen: Entry[] = [];
      for await (const entry of journal.read()) {
        seen.push(entry);
        if (seen.length > 20) continue;
        await journal.append([messageEntry(50 + seen.length)], { expectedSeq: 49 + seen.length });
      }
      assertEqual(seen, messageEntries(1, 50), 'what was read');
      await assertReads(journal, messageEntries(1, 70), 'a read that began later');
    },
  ),
  onStore(
    'goes on working when a reader stops in the middle',
    'Whoever looks for one entry stops when it is found; nothing may stay locked or open.',
    async (store) => {
      const journal = await beginJournal(store);
      await journal.append(messageEntries(1, 200), { expectedSeq: 0 });
      for (let round = 0; round < 20; round += 1) {
        for await (const entry of journal.read({ fromSeq: 3 })) {
          assertEqual(entry, messageEntry(3), 'the first entry of the range');
          break;
        }
      }
      await journal.append([messageEntry(201)], { expectedSeq: 200 });
      await assertReads(journal, messageEntries(1, 201));
    },
  ),
  onStore(
    'reads on to the end, or says that it cannot, when the store is closed in the middle',
    'Half a journal that looks whole would be exported, or summed up, as the conversation.',
    async (store) => {
      const journal = await beginJournal(store);
      await journal.append(messageEntries(1, 600), { expectedSeq: 0 });
      const seen: Entry[] = [];
      const failure = await readClosing(journal, { store, seen }).then(
        () => null,
        (error: unknown) => error,
      );
      assertThat(failure === null || VarveError.is(failure, 'VARVE_STORE_CLOSED'), `the read failed with ${failure}`);
      assertEqual(seen, messageEntries(1, failure === null ? 600 : seen.length), 'what was read');
    },
  ),
  acrossRestart(
    'keeps sessions apart whose ids begin alike or look like paths',
    'One user would read the conversation of another.',
    async ({ store, reopen }) => {
      for (const id of hostileIds) {
        await (await beginJournal(store, id)).append([messageEntry(1, id)], { expectedSeq: 0 });
      }
      const again = await reopen();
      for (const id of hostileIds) {
        const name = JSON.stringify(id.slice(0, 20));
        const journal = await again.open(id, { readOnly: true });
        assertThat(journal.header.sessionId === id, `the journal ${name} has the header of another session`);
        assertEqual((await journal.tail()).entries, [messageEntry(1, id)], `the entries of ${name}`);
      }
    },
  ),
];

/** Reads a journal into a list, and closes its store behind the third entry. */
async function readClosing(
  journal: Journal,
  { store, seen }: { readonly store: Store; readonly seen: Entry[] },
): Promise<void> {
  for await (const entry of journal.read()) {
    seen.push(entry);
    if (seen.length === 3) await store[Symbol.asyncDispose]();
  }
}
