import { assertEqual, assertFails, assertThat } from '../assert.ts';
import { beginJournal, collectEntries, messageEntries, messageEntry } from '../journal-entries.ts';
import { assertReads, onStore, type StoreCase } from './store-subject.ts';

const closed = 'VARVE_STORE_CLOSED';
const missing = 'VARVE_STORE_MISSING';

/** Who may open what, and what is left when it is closed. */
export const openingCases: readonly StoreCase[] = [
  onStore(
    'says whether several processes may use it',
    'A host decides by it whether it may share sessions with others.',
    async ({ supports }) => {
      const known = ['no', 'by-session', 'full'];
      assertThat(known.includes(supports.multiProcess), `supports.multiProcess is ${String(supports.multiProcess)}`);
    },
  ),
  onStore(
    'opens a journal that is not there only to begin it',
    'A misspelt session id must not look like an empty conversation.',
    async (store) => {
      await assertFails(() => store.open('one'), missing, 'opening a journal that is not there');
      await beginJournal(store);
      assertEqual((await store.open('one')).header.sessionId, 'one', 'the session of the journal');
      await assertFails(() => store.open('ONE'), missing, 'opening another one that is not there');
    },
  ),
  onStore('begins nothing for a reader', 'Looking at a session must leave no trace of it.', async (store) => {
    const create = { v: 1, sessionId: 'one', createdAt: 1 } as const;
    const look = (): unknown => store.open('one', { create, readOnly: true });
    await assertFails(look, missing, 'opening a journal that is not there for reading');
    await assertFails(() => store.open('one'), missing, 'opening it afterwards');
  }),
  onStore(
    'opens a journal that is there as it is, whatever header is offered',
    'A host offers a header each time; only the first one counts.',
    async (store) => {
      await (await beginJournal(store)).append(messageEntries(1, 2), { expectedSeq: 0 });
      const again = await store.open('one', { create: { v: 1, sessionId: 'one', createdAt: 9, agentId: 'other' } });
      await assertReads(again, messageEntries(1, 2));
      assertEqual(again.header.agentId, undefined, 'the agent in the header');
    },
  ),
  onStore('shows readers what a writer appends', 'An inspector watches sessions that are in use.', async (store) => {
    const writer = await beginJournal(store);
    const reader = await store.open('one', { readOnly: true });
    for (const entry of messageEntries(1, 5)) {
      await writer.append([entry], { expectedSeq: entry.seq - 1 });
      assertEqual((await reader.tail()).entries, messageEntries(1, entry.seq), 'the tail of the reader');
      assertEqual(await reader.get([entry.seq, entry.id]), [entry, entry], 'the entry by seq and id');
    }
  }),
  onStore('lets readers append nothing', 'Whoever only looks must not be able to write.', async (store) => {
    const writer = await beginJournal(store);
    const reader = await store.open('one', { readOnly: true });
    const append = (): unknown => reader.append([messageEntry(1)], { expectedSeq: 0 });
    await assertFails(append, 'VARVE_STORE_READ_ONLY', 'an append of a reader');
    await assertReads(writer, []);
  }),
  onStore(
    'refuses every use of a closed journal',
    'What comes after closing would be lost without a word.',
    async (store) => {
      const journal = await beginJournal(store);
      await journal.append([messageEntry(1)], { expectedSeq: 0 });
      await journal.close();
      await assertFails(() => journal.append([messageEntry(2)], { expectedSeq: 1 }), closed, 'append');
      await assertFails(() => journal.tail(), closed, 'tail');
      await assertFails(() => journal.get([1]), closed, 'get');
      await assertFails(() => collectEntries(journal.read()), closed, 'read');
    },
  ),
  onStore('closes a journal however often it is asked to', 'Several owners close on their way out.', async (store) => {
    const journal = await beginJournal(store);
    await Promise.all([journal.close(), journal.close()]);
    await journal.close();
  }),
  onStore(
    'leaves a journal open for those who have not closed it',
    'A session is opened by a host and an inspector at once.',
    async (store) => {
      const [journal, other] = [await beginJournal(store), await beginJournal(store)];
      await journal.close();
      assertEqual(await other.append([messageEntry(1)], { expectedSeq: 0 }), { seq: 1 }, 'an append of the other');
      await assertReads(other, [messageEntry(1)]);
    },
  ),
  onStore(
    'refuses every use of a closed store, however often it is closed',
    'A program that ends must not begin new files.',
    async (store) => {
      const journal = await beginJournal(store);
      await Promise.all([store[Symbol.asyncDispose](), store[Symbol.asyncDispose]()]);
      await store[Symbol.asyncDispose]();
      await assertFails(() => store.open('one'), closed, 'opening from a closed store');
      await assertFails(() => journal.tail(), closed, 'the tail of a journal of a closed store');
    },
  ),
  onStore(
    'opens a journal again while it is being closed',
    'A message may come while an idle session is put away.',
    async (store) => {
      const journal = await beginJournal(store);
      const appended = journal.append([messageEntry(1)], { expectedSeq: 0 });
      const closing = journal.close();
      const again = await store.open('one');
      await Promise.all([appended, closing]);
      assertEqual((await again.tail()).entries, [messageEntry(1)], 'the entries of the tail');
    },
  ),
];
