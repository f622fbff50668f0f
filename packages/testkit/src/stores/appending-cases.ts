import type { Entry } from '@varve/core';
import { assertEqual, assertFails, assertThat } from '../assert.ts';
import { beginJournal, checkpointFrom, messageEntries, messageEntry } from '../journal-entries.ts';
import { acrossRestart, assertHolds, assertReads, onStore, type StoreCase } from './store-subject.ts';

/** An append is all or nothing, in order, and refused when it does not fit. */
export const appendingCases: readonly StoreCase[] = [
  onStore(
    'refuses an append that does not know of the newest entries',
    'Two writers would number different entries alike.',
    async (store) => {
      const journal = await beginJournal(store);
      await journal.append(messageEntries(1, 2), { expectedSeq: 0 });
      const late = (): unknown => journal.append([messageEntry(2, 'other')], { expectedSeq: 1 });
      await assertFails(late, 'VARVE_STORE_CONFLICT', 'an append behind the end');
      await assertReads(journal, messageEntries(1, 2));
    },
  ),
  onStore(
    'refuses an append beyond the end of the journal',
    'A gap would be read as entries that were lost.',
    async (store) => {
      const journal = await beginJournal(store);
      await journal.append(messageEntries(1, 2), { expectedSeq: 0 });
      const early = (): unknown => journal.append([messageEntry(4)], { expectedSeq: 3 });
      await assertFails(early, 'VARVE_STORE_CONFLICT', 'an append beyond the end');
      await assertReads(journal, messageEntries(1, 2));
    },
  ),
  onStore(
    'refuses an append under a lease that somebody else has taken over',
    'A host that was thought to be dead would answer a second time what another has answered.',
    async (store) => {
      const journal = await beginJournal(store);
      const other = await beginJournal(store);
      const append = (seq: number, fence?: number) => () =>
        journal.append([messageEntry(seq)], { expectedSeq: seq - 1, fence });
      await append(1, 2)();
      await assertFails(append(2, 1), 'VARVE_LEASE_LOST', 'an append with a lower fence');
      await append(2, 2)();
      await append(3)();
      await other.append([], { expectedSeq: 3, fence: 5 });
      await assertFails(append(4, 2), 'VARVE_LEASE_LOST', 'an append after another had a higher fence without entries');
      await append(4)();
      await assertReads(journal, messageEntries(1, 4));
    },
  ),
  onStore(
    'refuses entries whose seqs have a gap, and all that come with them',
    'Prompts name entries by seq: each must be where its seq says.',
    async (store) => {
      const journal = await beginJournal(store);
      for (const entries of [[messageEntry(1), messageEntry(3)], [messageEntry(2)]]) {
        const append = (): unknown => journal.append(entries, { expectedSeq: 0 });
        await assertFails(append, 'VARVE_ENTRY_INVALID', 'an append with a gap');
      }
      await assertReads(journal, []);
    },
  ),
  onStore(
    'refuses entries that are not JSON, and all that come with them',
    'Half of an append in the journal is worse than none: a call without its result, say.',
    async (store) => {
      const journal = await beginJournal(store);
      const loop: Record<string, unknown> = {};
      Object.assign(loop, { self: loop });
      const bad: readonly Entry[][] = [
        [messageEntry(1), { ...messageEntry(2), data: loop } as never],
        [messageEntry(1), { ...messageEntry(2), data: 1n } as never],
        [{ ...messageEntry(1), toJSON: () => 'text' } as never],
      ];
      for (const entries of bad) {
        const append = (): unknown => journal.append(entries, { expectedSeq: 0 });
        await assertFails(append, 'VARVE_ENTRY_INVALID', 'an append of what is not JSON');
      }
      await assertReads(journal, []);
      await journal.append([messageEntry(1)], { expectedSeq: 0 });
      await assertReads(journal, [messageEntry(1)], 'what was appended after the refusals');
    },
  ),
  onStore(
    'refuses a checkpoint without an entry',
    'A checkpoint belongs to the entry that made it; alone, nobody could say what it knows.',
    async (store) => {
      const journal = await beginJournal(store);
      const append = (): unknown => journal.append([], { expectedSeq: 0, checkpoint: checkpointFrom(1) });
      await assertFails(append, 'VARVE_ENTRY_INVALID', 'an append of a checkpoint alone');
      assertEqual(await journal.tail(), { checkpoint: null, entries: [] }, 'the tail');
    },
  ),
  onStore(
    'appends nothing when it is given nothing',
    'Closing a session stores what is pending, often nothing.',
    async (store) => {
      const journal = await beginJournal(store);
      assertEqual(await journal.append([], { expectedSeq: 0 }), { seq: 0 }, 'an empty append');
      await journal.append(messageEntries(1, 2), { expectedSeq: 0 });
      assertEqual(await journal.append([], { expectedSeq: 2 }), { seq: 2 }, 'an empty append behind two entries');
      await assertReads(journal, messageEntries(1, 2));
    },
  ),
  acrossRestart(
    'keeps many appends in flight in order',
    'A host does not wait for the disk between two messages.',
    async ({ store, reopen }) => {
      const journal = await beginJournal(store);
      const entries = messageEntries(1, 3_000);
      const appends = entries.map((entry) => journal.append([entry], { expectedSeq: entry.seq - 1 }));
      const seqs = (await Promise.all(appends)).map(({ seq }) => seq);
      assertEqual(
        seqs,
        entries.map(({ seq }) => seq),
        'the seqs of the appends',
      );
      await assertHolds(await reopen(), entries);
    },
  ),
  onStore(
    'lets exactly one of several writers win',
    'Two hosts of one session must not both believe that their message is entry 1.',
    async (store) => {
      const journals = await Promise.all([beginJournal(store), beginJournal(store), beginJournal(store)]);
      const results = await Promise.allSettled(
        journals.map((journal, index) => journal.append([messageEntry(1, `writer ${index}`)], { expectedSeq: 0 })),
      );
      const winner = results.findIndex(({ status }) => status === 'fulfilled');
      const winners = results.filter(({ status }) => status === 'fulfilled').length;
      assertThat(winners === 1, `of three writers, ${winners} were told that they had appended entry 1`);
      for (const journal of journals) await assertReads(journal, [messageEntry(1, `writer ${winner}`)]);
    },
  ),
  onStore(
    'forgets the checkpoint of an append that it refused',
    'Reading would begin behind entries that no summary stands for.',
    async (store) => {
      const journal = await beginJournal(store);
      await journal.append(messageEntries(1, 4), { expectedSeq: 0, checkpoint: checkpointFrom(2) });
      const late = (): unknown => journal.append([messageEntry(4)], { expectedSeq: 3, checkpoint: checkpointFrom(4) });
      await assertFails(late, 'VARVE_STORE_CONFLICT', 'an append behind the end');
      const expected = { checkpoint: checkpointFrom(2), entries: messageEntries(2, 4) };
      assertEqual(await journal.tail(), expected, 'the tail');
    },
  ),
];
