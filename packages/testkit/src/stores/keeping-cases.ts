import type { Entry, MessageEntry } from '@varve/core';
import { assertEqual } from '../assert.ts';
import { beginJournal, checkpointFrom, collectEntries, messageEntries, messageEntry } from '../journal-entries.ts';
import { acrossRestart, assertHolds, assertReads, onStore, type StoreCase } from './store-subject.ts';

const texts = ['\u0000\u0001\u2028\r\n"\\', 'é 漢字 👩‍👩‍👧', '}{"crc":"00000000"}\n{', '', ' '];

/** What is appended stays, exactly. */
export const keepingCases: readonly StoreCase[] = [
  onStore('gives back what was appended', 'The journal is the only truth of a conversation.', async (store) => {
    const journal = await beginJournal(store);
    assertEqual(await journal.append(messageEntries(1, 3), { expectedSeq: 0 }), { seq: 3 }, 'the first append');
    assertEqual(await journal.append([messageEntry(4)], { expectedSeq: 3 }), { seq: 4 }, 'the second append');
    await assertReads(journal, messageEntries(1, 4));
  }),
  acrossRestart(
    'gives back after a restart what was appended before, and goes on from there',
    'A process may end at any time; what it was told is stored must be there.',
    async ({ store, reopen }) => {
      const journal = await beginJournal(store);
      await journal.append(messageEntries(1, 4), { expectedSeq: 0 });
      await journal.close();
      const again = await (await reopen()).open('one');
      await assertReads(again, messageEntries(1, 4));
      assertEqual(await again.append([messageEntry(5)], { expectedSeq: 4 }), { seq: 5 }, 'the append after a restart');
      assertEqual(await again.tail(), { checkpoint: null, entries: messageEntries(1, 5) }, 'the tail');
    },
  ),
  acrossRestart(
    'keeps the header that a journal was begun with',
    'It says whose conversation this is, and which one came before.',
    async ({ store, reopen }) => {
      const create = { v: 1, sessionId: 'one', createdAt: 5, agentId: 'Ada', previousSessionId: 'zero' } as const;
      assertEqual((await store.open('one', { create })).header, create, 'the header');
      const again = await (await reopen()).open('one', { create: { v: 1, sessionId: 'one', createdAt: 6 } });
      assertEqual(again.header, create, 'the header after a restart');
    },
  ),
  acrossRestart(
    'keeps text of every kind',
    'A control character, or text that looks like a line of the store, must not end a line.',
    async ({ store, reopen }) => {
      const entries = texts.map((text, index) => messageEntry(index + 1, text));
      await (await beginJournal(store)).append(entries, { expectedSeq: 0 });
      const again = await (await reopen()).open('one');
      await assertReads(again, entries);
      assertEqual((await again.tail()).entries, entries, 'the entries of the tail');
    },
  ),
  acrossRestart(
    'keeps surrogates that stand alone',
    'Tools cut texts in the middle of a character; an encoder that replaces it changes what was said.',
    async ({ store, reopen }) => {
      const entries = [messageEntry(1, '\ud800 alone \udfff'), messageEntry(2, '\udc00\ud800')];
      await (await beginJournal(store)).append(entries, { expectedSeq: 0 });
      await assertHolds(await reopen(), entries);
    },
  ),
  acrossRestart(
    'keeps an entry of 10 MB',
    'A tool may print a whole database; its result is an entry like any other.',
    async ({ store, reopen }) => {
      const large = messageEntry(2, 'ü漢x"\n'.repeat(1_200_000));
      const journal = await beginJournal(store);
      const checkpoint = checkpointFrom(2);
      await journal.append([messageEntry(1), large, messageEntry(3)], { expectedSeq: 0, checkpoint });
      const again = await (await reopen()).open('one');
      assertEqual((await again.tail()).entries, [large, messageEntry(3)], 'the entries of the tail');
      assertEqual(await again.get([3, 2]), [messageEntry(3), large], 'two entries by seq');
    },
  ),
  acrossRestart(
    'keeps a plugin’s record, keys of any name included',
    'A store knows no entry types; what a plugin recorded comes back byte for byte.',
    async ({ store, reopen }) => {
      const data = JSON.parse(
        '{"__proto__":{"crc":"x"},"more":3,"keep":1,"checkpoint":null,"nested":{"sessionId":"s"}}',
      );
      const entry: Entry = { ...messageEntry(1), type: 'acme:note', data } as never;
      await (await beginJournal(store)).append([entry], { expectedSeq: 0 });
      const [found] = await (await (await reopen()).open('one')).get([1]);
      assertEqual(JSON.stringify(found), JSON.stringify(entry), 'the JSON of the record');
    },
  ),
  acrossRestart(
    'keeps entries of types and versions that it does not know',
    'A journal written by a newer version must survive an older one.',
    async ({ store, reopen }) => {
      const later = { ...messageEntry(1), v: 2, type: 'dream', depth: { of: [1, null, 'x'] } } as unknown as Entry;
      await (await beginJournal(store)).append([later, messageEntry(2)], { expectedSeq: 0 });
      await assertHolds(await reopen(), [later, messageEntry(2)]);
    },
  ),
  onStore(
    'takes an entry as it is when it is appended',
    'A caller that goes on changing its object would change history.',
    async (store) => {
      const journal = await beginJournal(store);
      const entry = messageEntry(1, 'before');
      const checkpoint = { ...checkpointFrom(1) };
      const appended = journal.append([entry], { expectedSeq: 0, checkpoint });
      Object.assign(entry, messageEntry(1, 'after'), { seq: 7 });
      Object.assign(checkpoint, { visibleFromSeq: 9 });
      await appended;
      const expected = { checkpoint: checkpointFrom(1), entries: [messageEntry(1, 'before')] };
      assertEqual(await journal.tail(), expected, 'the tail');
    },
  ),
  onStore(
    'hands out entries that a caller may change',
    'One reader that works in place would change what all others read.',
    async (store) => {
      const journal = await beginJournal(store);
      await journal.append(messageEntries(1, 2), { expectedSeq: 0, checkpoint: checkpointFrom(1) });
      const reads = [
        () => journal.get([1]),
        () => collectEntries(journal.read()),
        async () => (await journal.tail()).entries,
      ];
      for (const read of reads) {
        const [entry] = (await read()) as [MessageEntry];
        Object.assign(entry.message, { content: 'changed' });
        Object.assign(entry, { id: 'changed' });
      }
      await assertReads(journal, messageEntries(1, 2));
      assertEqual((await journal.tail()).entries, messageEntries(1, 2), 'the entries of the tail');
    },
  ),
  onStore(
    'hands out checkpoints that a caller may change',
    'Folding starts from the checkpoint: the next one must find it as it was stored.',
    async (store) => {
      const journal = await beginJournal(store);
      await journal.append(messageEntries(1, 2), { expectedSeq: 0, checkpoint: checkpointFrom(1, { model: 'm' }) });
      const { checkpoint } = await journal.tail();
      Object.assign(checkpoint ?? {}, { visibleFromSeq: 2 });
      Object.assign(checkpoint?.state.settings ?? {}, { model: 'changed' });
      const expected = { checkpoint: checkpointFrom(1, { model: 'm' }), entries: messageEntries(1, 2) };
      assertEqual(await journal.tail(), expected, 'the tail');
    },
  ),
];
