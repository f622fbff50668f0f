import { emptyCounters, type SessionPatch, type SessionRecord } from '@varve/core';
import { assertEqual, assertFails, assertThat } from '../assert.ts';
import { hostileIds } from './hostile-ids.ts';
import { acrossRestart, onStore, type StoreCase } from './store-subject.ts';

const conflict = 'VARVE_STORE_CONFLICT';

/** What a record says of which nobody said anything. */
const plain: SessionRecord = {
  sessionId: 'one',
  rev: 1,
  agentId: 'main',
  key: null,
  state: 'open',
  channel: null,
  chatType: null,
  identity: null,
  parentSessionKey: null,
  label: null,
  displayName: null,
  currentSince: null,
  previousSessionId: null,
  forkedFrom: null,
  lease: null,
  createdAt: 5,
  updatedAt: 7,
  counters: emptyCounters,
};

const full: SessionPatch = {
  agentId: 'Ada',
  key: 'agent:ada:main',
  state: 'archived',
  channel: 'irc',
  chatType: 'group',
  identity: 'Ada ü',
  parentSessionKey: 'agent:ada:other',
  label: 'Label {"x":1}\n',
  displayName: '漢字 \ud800',
  currentSince: 3,
  previousSessionId: 'one/before',
  forkedFrom: { sessionId: '..', entryId: 'e', seq: 4 },
  lease: { owner: 'host "a"', untilAt: 6, fence: 2 },
  createdAt: 1,
  updatedAt: 2,
  counters: {
    ...emptyCounters,
    countedSeq: 9,
    lastUserAt: 8,
    spent: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 },
  },
};

/** What a store knows of its sessions without opening their journals. */
export const recordCases: readonly StoreCase[] = [
  onStore(
    'makes a record, with a default for what it is not told',
    'Who lists sessions must find every field.',
    async ({ sessions }) => {
      const made = await sessions.put('one', { createdAt: 5, updatedAt: 7 }, { expectedRev: 0 });
      assertEqual(made, plain, 'the record that was made');
      assertEqual(await sessions.get('one'), plain, 'the record');
      assertThat((await sessions.get('one'))?.label === null, 'a label that nobody gave is not null');
    },
  ),
  onStore(
    'knows no record of a session that has none',
    'A misspelt session id must not look like an empty session.',
    async ({ sessions }) => {
      assertEqual(await sessions.get('one'), null, 'the record of nobody');
      await sessions.put('one', {}, { expectedRev: 0 });
      for (const other of ['ONE', 'one ', '', '__proto__', 'constructor']) {
        assertEqual(await sessions.get(other), null, `the record of ${JSON.stringify(other)}`);
      }
    },
  ),
  onStore(
    'changes what a patch names and leaves the rest',
    'A new label must not take the counters with it.',
    async ({ sessions }) => {
      await sessions.put('one', full, { expectedRev: 0 });
      const changed = await sessions.put('one', { label: null, key: undefined }, { expectedRev: 1 });
      const expected = { ...full, sessionId: 'one', label: null, rev: 2 };
      assertEqual(changed, expected, 'what the change gave');
      assertEqual(await sessions.get('one'), expected, 'the record');
    },
  ),
  onStore(
    'refuses a change that was made for another revision',
    'Whoever changes a record must have seen what it is.',
    async ({ sessions }) => {
      const put = (expectedRev: number) => () => sessions.put('one', { label: 'new' }, { expectedRev });
      await assertFails(put(1), conflict, 'a change of a record that is not there');
      assertEqual(await sessions.get('one'), null, 'the record that was not made');
      await sessions.put('one', { label: 'first' }, { expectedRev: 0 });
      await sessions.put('one', { label: 'second' }, { expectedRev: 1 });
      for (const rev of [0, 1, 3]) await assertFails(put(rev), conflict, `a change for revision ${rev} of 2`);
      assertEqual((await sessions.get('one'))?.label, 'second', 'the label');
      assertEqual((await sessions.get('one'))?.rev, 2, 'the revision');
    },
  ),
  onStore(
    'lets exactly one of several changes at once win',
    'Two hosts of one session must not both believe that they changed its record.',
    async ({ sessions }) => {
      await sessions.put('one', {}, { expectedRev: 0 });
      const changes = ['a', 'b', 'c', 'd'].map((label) => sessions.put('one', { label }, { expectedRev: 1 }));
      const results = await Promise.allSettled(changes);
      const winners = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      assertThat(winners.length === 1, `of four changes, ${winners.length} were told that they had won`);
      assertEqual(await sessions.get('one'), winners[0], 'the record');
    },
  ),
  onStore(
    'takes a patch as it is when it is given, and hands out records that a caller may change',
    'A caller that goes on working with its object would change what all others see.',
    async ({ sessions }) => {
      const patch = structuredClone({ ...full, label: 'before' });
      const putting = sessions.put('one', patch, { expectedRev: 0 });
      Object.assign(patch, { label: 'after' });
      Object.assign(patch.counters ?? {}, { messages: 99 });
      const expected = { ...full, sessionId: 'one', rev: 1, label: 'before' };
      const reads = [() => putting, () => sessions.get('one'), async () => (await sessions.list())[0]];
      for (const read of reads) {
        const record = await read();
        assertEqual(record, expected, 'the record');
        Object.assign(record ?? {}, { label: 'changed' });
        Object.assign(record?.counters ?? {}, { messages: 98 });
      }
      assertEqual(await sessions.get('one'), expected, 'the record in the end');
    },
  ),
  onStore(
    'keeps records of sessions apart whose ids begin alike or look like paths',
    'One user would see the conversations of another.',
    async ({ sessions }) => {
      for (const id of hostileIds) await sessions.put(id, { label: `of ${id}` }, { expectedRev: 0 });
      for (const id of hostileIds) {
        const record = await sessions.get(id);
        const isIts = record?.sessionId === id && record.label === `of ${id}`;
        assertThat(isIts, `the record of ${JSON.stringify(id.slice(0, 20))} is that of another session`);
      }
    },
  ),
  acrossRestart(
    'keeps records after a restart, however often they were changed',
    'The list of sessions must be there before any of them is opened.',
    async ({ store, reopen }) => {
      for (let rev = 0; rev < 40; rev += 1) {
        await store.sessions.put('one', { ...full, updatedAt: rev }, { expectedRev: rev });
        await store.sessions.put(`other ${rev}`, { createdAt: 5, updatedAt: 7 }, { expectedRev: 0 });
      }
      const { sessions } = await reopen();
      assertEqual(await sessions.get('one'), { ...full, sessionId: 'one', rev: 40, updatedAt: 39 }, 'the record');
      assertEqual(await sessions.get('other 3'), { ...plain, sessionId: 'other 3' }, 'another record');
      assertEqual((await sessions.list()).length, 41, 'the number of records');
      const next = await sessions.put('one', { label: 'new' }, { expectedRev: 40 });
      assertEqual([next.rev, next.label, next.key], [41, 'new', 'agent:ada:main'], 'a change after the restart');
    },
  ),
  acrossRestart(
    'keeps what it does not know of a record, through changes and a restart',
    'A newer version of Varve says more of a session than this one; an older one must not take it away.',
    async ({ store, reopen }) => {
      const newer: SessionPatch = { ...full, colour: { deep: ['red'] } } as SessionPatch;
      await store.sessions.put('one', newer, { expectedRev: 0 });
      await store.sessions.put('one', { label: 'new' }, { expectedRev: 1 });
      const expected = { ...newer, sessionId: 'one', label: 'new', rev: 2 };
      assertEqual(await store.sessions.get('one'), expected, 'the record after a change');
      const { sessions } = await reopen();
      assertEqual(await sessions.get('one'), expected, 'the record after a restart');
    },
  ),
  onStore(
    'refuses every use of the records of a closed store',
    'A program that ends must not begin new files.',
    async (store) => {
      const { sessions } = store;
      await sessions.put('one', {}, { expectedRev: 0 });
      await store[Symbol.asyncDispose]();
      await assertFails(() => sessions.get('one'), 'VARVE_STORE_CLOSED', 'get');
      await assertFails(() => sessions.list(), 'VARVE_STORE_CLOSED', 'list');
      await assertFails(() => sessions.put('one', {}, { expectedRev: 1 }), 'VARVE_STORE_CLOSED', 'put');
    },
  ),
];
