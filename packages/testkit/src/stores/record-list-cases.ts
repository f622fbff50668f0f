import type { SessionPatch, SessionQuery, Store } from '@varve/core';
import { assertEqual } from '../assert.ts';
import { onStore, type StoreCase } from './store-subject.ts';

/** Makes a record for each id. */
async function fill(store: Store, records: Readonly<Record<string, SessionPatch>>): Promise<void> {
  for (const [id, patch] of Object.entries(records)) await store.sessions.put(id, patch, { expectedRev: 0 });
}

async function idsOf(store: Store, query?: SessionQuery): Promise<readonly string[]> {
  return (await store.sessions.list(query)).map(({ sessionId }) => sessionId);
}

/** Records are listed by what is known of their sessions. */
export const recordListCases: readonly StoreCase[] = [
  onStore(
    'lists records last updated first, those of one time by session id',
    'People look for what they did last; programs need the same order each time.',
    async (store) => {
      assertEqual(await idsOf(store), [], 'the list of an empty store');
      await fill(store, { b: { updatedAt: 5 }, a: { updatedAt: 5 }, Z: { updatedAt: 5 }, old: { updatedAt: 1 } });
      await fill(store, { ä: { updatedAt: 5 }, new: { updatedAt: 9 } });
      assertEqual(await idsOf(store), ['new', 'Z', 'a', 'b', 'ä', 'old'], 'the list');
      await store.sessions.put('old', { updatedAt: 6 }, { expectedRev: 1 });
      assertEqual(await idsOf(store), ['new', 'old', 'Z', 'a', 'b', 'ä'], 'the list after a change');
    },
  ),
  onStore(
    'lists page by page, none twice and none left out',
    'A page begins behind the last record of the one before, whether or not that is still there.',
    async (store) => {
      const ids = Array.from({ length: 23 }, (_, index) => `session ${index}`);
      for (const [index, id] of ids.entries()) await fill(store, { [id]: { updatedAt: Math.floor(index / 4) } });
      const all = await idsOf(store);
      const paged: string[] = [];
      let after: SessionQuery['after'];
      for (let page = await store.sessions.list({ limit: 5 }); page.length > 0; ) {
        paged.push(...page.map(({ sessionId }) => sessionId));
        after = page.at(-1);
        page = await store.sessions.list({ limit: 5, after });
      }
      assertEqual(paged, all, 'the pages');
      assertEqual(all.length, 23, 'the number of records');
      const between = { updatedAt: 3, sessionId: 'session 12x' };
      assertEqual(await idsOf(store, { after: between, limit: 2 }), ['session 13', 'session 14'], 'behind no record');
    },
  ),
  onStore(
    'lists 100 records when nobody says how many, and as many as somebody says',
    'A list must not grow with the years.',
    async (store) => {
      const ids = Array.from({ length: 130 }, (_, index) => `s${index}`);
      await Promise.all(ids.map((id) => store.sessions.put(id, {}, { expectedRev: 0 })));
      for (const [limit, expected] of [
        [undefined, 100],
        [0, 0],
        [7, 7],
        [120, 120],
        [1_000, 130],
      ] as const) {
        assertEqual((await store.sessions.list({ limit })).length, expected, `the number of records for ${limit}`);
      }
    },
  ),
  onStore(
    'lists those of which all parts of a query hold',
    'Who looks for the archived chats of one agent must not see those of another.',
    async (store) => {
      await fill(store, {
        a: { agentId: 'Ada', channel: 'irc', chatType: 'group', parentSessionKey: 'p', updatedAt: 4 },
        b: { agentId: 'Ada', channel: 'web', chatType: 'direct', state: 'archived', updatedAt: 3 },
        c: { agentId: 'ada', channel: 'irc', chatType: 'direct', updatedAt: 2 },
        d: { updatedAt: 1 },
      });
      const cases: readonly (readonly [SessionQuery, readonly string[]])[] = [
        [{ agentId: 'Ada' }, ['a', 'b']],
        [{ agentId: 'main' }, ['d']],
        [{ channel: 'irc' }, ['a', 'c']],
        [{ chatType: 'direct' }, ['b', 'c']],
        [{ chatType: null }, ['d']],
        [{ state: 'open' }, ['a', 'c', 'd']],
        [{ state: 'archived' }, ['b']],
        [{ parentSessionKey: 'p' }, ['a']],
        [{ agentId: 'Ada', channel: 'irc' }, ['a']],
        [{ agentId: 'Ada', state: 'open', channel: 'web' }, []],
        [{ agentId: undefined, channel: undefined, text: undefined }, ['a', 'b', 'c', 'd']],
      ];
      for (const [query, expected] of cases) {
        assertEqual(await idsOf(store, query), expected, `the list for ${JSON.stringify(query)}`);
      }
    },
  ),
  onStore(
    'finds a key exactly, however many others hold it',
    'A host knows a conversation by its key: the session must be found among all that began with the same words.',
    async (store) => {
      await fill(store, {
        newest: { key: 'agent:main:one', updatedAt: 5 },
        again: { key: 'agent:main', updatedAt: 4 },
        loud: { key: 'AGENT:MAIN', updatedAt: 3 },
        wanted: { key: 'agent:main', updatedAt: 2 },
        'agent:main': { label: 'agent:main', updatedAt: 1 },
      });
      assertEqual(await idsOf(store, { key: 'agent:main' }), ['again', 'wanted'], 'the list for a key');
      assertEqual(await idsOf(store, { key: 'agent:main', limit: 1 }), ['again'], 'the first of the list for a key');
      assertEqual(await idsOf(store, { key: 'agent' }), [], 'the list for the beginning of a key');
      assertEqual(await idsOf(store, { key: undefined, text: 'one' }), ['newest'], 'the list for no key');
    },
  ),
  onStore(
    'finds a key where it is now, after it was changed',
    'A message would go into the conversation of somebody else.',
    async (store) => {
      await fill(store, { one: { key: 'a', updatedAt: 2 }, two: { key: 'b', updatedAt: 1 } });
      await store.sessions.put('one', { key: 'b' }, { expectedRev: 1 });
      await store.sessions.put('two', { label: 'same key' }, { expectedRev: 1 });
      assertEqual(await idsOf(store, { key: 'a' }), [], 'the list for the key before');
      assertEqual(await idsOf(store, { key: 'b' }), ['one', 'two'], 'the list for the key after');
      await store.sessions.put('one', { key: null }, { expectedRev: 2 });
      assertEqual(await idsOf(store, { key: 'b' }), ['two'], 'the list for a key that was taken back');
    },
  ),
  onStore(
    'finds text in ids, keys, labels and names, whatever the case of its letters',
    'People remember a word of it, and not how it was written.',
    async (store) => {
      await fill(store, {
        'one-Zebra': { updatedAt: 5 },
        two: { key: 'agent:ZEBRA:main', updatedAt: 4 },
        three: { label: 'a zebra crossing', updatedAt: 3 },
        four: { displayName: 'Zebra Ünal', updatedAt: 2 },
        five: { channel: 'zebra', agentId: 'zebra', parentSessionKey: 'zebra', updatedAt: 1 },
      });
      assertEqual(await idsOf(store, { text: 'zEBra' }), ['one-Zebra', 'two', 'three', 'four'], 'the list for a word');
      assertEqual(await idsOf(store, { text: 'a ün' }), ['four'], 'the list for two words');
      assertEqual(await idsOf(store, { text: '.' }), [], 'the list for a dot');
    },
  ),
];
