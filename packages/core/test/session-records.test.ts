import {
  countEntry,
  createHost,
  type Entry,
  emptyCounters,
  type Host,
  type Message,
  memoryStore,
  type Session,
  type SessionIndex,
  type Store,
} from '@varve/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

const model = { provider: 'test', model: 'test-1' };
const user = (content: string): Message => ({ role: 'user', content });
const usage = { inputTokens: 10, outputTokens: 2, cacheReadTokens: 5 };

async function entriesOf(session: Session): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of session.read()) entries.push(entry);
  return entries;
}

const countAll = (entries: readonly Entry[]) => entries.reduce(countEntry, emptyCounters);

/** A store whose index is replaced in part. */
function withIndex(store: Store, change: (index: SessionIndex) => Partial<SessionIndex>): Store {
  return { ...store, sessions: { ...store.sessions, ...change(store.sessions) } };
}

async function hostAt(store: Store, now = () => 1_000): Promise<Host> {
  return createHost({ store, clock: { now, after: () => () => undefined }, random: () => 0.5 });
}

/** Lets queued writes of records happen. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('counters', () => {
  test('are the same whether entries are counted at once or in parts, some of them twice', async () => {
    await using host = await createHost();
    const session = await host.open('s');
    for (let n = 0; n < 12; n += 1) {
      await session.ingest(user(`Question ${n} ${'clay '.repeat(200)}`));
      await session.assemble({ model });
      await session.ingest({ role: 'assistant', content: 'Yes.' }, { usage });
      await session.ingest(user('done'), { provenance: { kind: 'system-event' } });
      if (n % 5 === 4) await session.compact('manual', { model });
      await session.set('n', n);
    }
    const entries = await entriesOf(session);
    const all = countAll(entries);
    expect(all).toMatchObject({
      countedSeq: entries.length,
      messages: 36,
      userMessages: 12,
      requests: 12,
      compactions: 2,
      spent: { inputTokens: 120, outputTokens: 24, cacheReadTokens: 60, cacheWriteTokens: 0 },
    });
    expect(all.totalTokens).toBe(entries.findLast((entry) => entry.type === 'request')?.tokens);
    const cut = fc.nat(entries.length);
    fc.assert(
      fc.property(cut, cut, (to, from) => {
        const part = countAll(entries.slice(0, to));
        expect(entries.slice(Math.min(from, to)).reduce(countEntry, part)).toEqual(all);
      }),
    );
  });
});

describe('a session’s record', () => {
  test('is made when it is opened, with what the host says of it', async () => {
    const store = memoryStore();
    await using host = await hostAt(store);
    const names = {
      agentId: 'ada',
      key: 'k',
      channel: 'irc',
      chatType: 'group',
      identity: 'Ada',
      label: 'L',
      displayName: 'D',
    } as const;
    const session = await host.open('s', { ...names, parentSessionKey: 'p' });
    const expected = { sessionId: 's', rev: 1, state: 'open', ...names, parentSessionKey: 'p', createdAt: 1_000 };
    const never = { currentSince: null, previousSessionId: null, forkedFrom: null, lease: null };
    expect(await store.sessions.get('s')).toEqual({ ...expected, ...never, updatedAt: 1_000, counters: emptyCounters });
    expect(session.info()).toEqual(await store.sessions.get('s'));
    await host.open('plain');
    expect(await store.sessions.get('plain')).toMatchObject({
      agentId: 'main',
      key: null,
      label: null,
      chatType: null,
      identity: null,
    });
  });

  test('is what plugins see of where the conversation takes place and with whom', async () => {
    const store = memoryStore();
    const first = await hostAt(store);
    const unnamed = { agentId: 'main', channel: null, chatType: null, identity: null };
    expect((await first.open('plain')).view).toMatchObject(unnamed);
    const names = { agentId: 'ada', channel: 'irc', chatType: 'direct', identity: 'Grace' } as const;
    expect((await first.open('s', names)).view).toMatchObject(names);
    await first.close();
    await using later = await hostAt(store);
    expect((await later.open('s')).view).toMatchObject(names);
    expect((await later.open('plain', { identity: 'Grace' })).view.identity).toBe('Grace');
  });

  test('names nobody any more when the identity is taken back', async () => {
    const store = memoryStore();
    const first = await hostAt(store);
    await first.open('s', { identity: 'Grace' });
    await first.close();
    await using later = await hostAt(store);
    expect((await later.open('s', { identity: null })).view.identity).toBeNull();
    expect(await store.sessions.get('s')).toMatchObject({ identity: null });
  });

  test('keeps what was said of it before, and takes what is said now', async () => {
    const store = memoryStore();
    let now = 1_000;
    const first = await hostAt(store);
    await first.open('s', { key: 'k', label: 'one', channel: 'irc' });
    await first.close();
    now = 2_000;
    await using later = await hostAt(store, () => now);
    await later.open('s', { key: 'other', label: 'two' });
    expect(await store.sessions.get('s')).toMatchObject({
      key: 'k',
      label: 'two',
      channel: 'irc',
      createdAt: 1_000,
      updatedAt: 2_000,
    });
  });

  test('says after a close what the journal says, and is written seldom before that', async () => {
    let writes = 0;
    const store = withIndex(memoryStore(), (index) => ({
      put: (...change) => {
        writes += 1;
        return index.put(...change);
      },
    }));
    let now = 1_000;
    const host = await hostAt(store, () => now);
    const session = await host.open('s');
    for (let n = 1; n <= 100; n += 1) {
      now += 1;
      await session.ingest(user(`message ${n}`));
    }
    await settle();
    expect(writes).toBeGreaterThan(1);
    expect(writes).toBeLessThan(6);
    expect((await store.sessions.get('s'))?.counters.messages).toBeLessThan(100);
    expect(session.info()).toMatchObject({ updatedAt: 1_100, counters: { messages: 100, lastUserAt: 1_100 } });
    const entries = await entriesOf(session);
    await host.close();
    expect(await store.sessions.get('s')).toMatchObject({ updatedAt: 1_100, counters: countAll(entries) });
  });

  test('counts what was appended while nobody wrote it, from where it had come to', async () => {
    const store = memoryStore();
    const host = await hostAt(store);
    const session = await host.open('s');
    for (let n = 1; n <= 40; n += 1) await session.ingest(user(`message ${n}`));
    await settle();
    const counted = (await store.sessions.get('s'))?.counters.countedSeq ?? 0;
    expect(counted).toBeGreaterThan(0);
    const reads: unknown[] = [];
    const watched: Store = {
      ...store,
      open: async (sessionId, options) => {
        const journal = await store.open(sessionId, options);
        return {
          ...journal,
          read: (range) => {
            reads.push(range);
            return journal.read(range);
          },
        };
      },
    };
    await using later = await hostAt(watched);
    expect((await later.open('s')).info().counters).toMatchObject({ countedSeq: 40, messages: 40 });
    expect(reads).toEqual([{ fromSeq: counted + 1 }]);
  });

  const damages = {
    'is gone': null,
    'counts beyond the journal': { ...emptyCounters, countedSeq: 99, messages: 99 },
    'counts what is no number': { ...emptyCounters, messages: 'many' as never },
    'counts nothing at all': {} as never,
  };
  test.each(Object.entries(damages))('is made again from the journal when it %s', async (_, counters) => {
    const store = memoryStore();
    const host = await hostAt(store);
    const session = await host.open('s', { label: 'L' });
    await session.ingest(user('hello'));
    await session.ingest({ role: 'assistant', content: 'hi' }, { usage });
    await host.close();
    const rev = (await store.sessions.get('s'))?.rev ?? 0;
    if (counters !== null) await store.sessions.put('s', { counters }, { expectedRev: rev });
    const fresh = memoryStore().sessions;
    const damaged = counters === null ? { ...store, sessions: fresh } : store;
    const later = await hostAt(damaged);
    const again = await later.open('s');
    expect(again.info().counters).toEqual(countAll(await entriesOf(again)));
    expect((await damaged.sessions.get('s'))?.counters).toEqual(again.info().counters);
    await later.close();
  });

  test('keeps its names when its counters are damaged, but for a name that is none', async () => {
    const store = memoryStore();
    const host = await hostAt(store);
    const names = { agentId: 'ada', channel: 'irc', label: 'L', displayName: 'D', parentSessionKey: 'p' };
    await (await host.open('s', { ...names, chatType: 'group' })).ingest(user('hello'));
    await host.close();
    const damage = { counters: {} as never, state: 'archived', chatType: 7 as never } as const;
    await store.sessions.put('s', damage, { expectedRev: (await store.sessions.get('s'))?.rev ?? 0 });
    await using later = await hostAt(store);
    const session = await later.open('s', { label: 'M' });
    const expected = { ...names, label: 'M', state: 'archived', chatType: null, createdAt: 1_000 };
    expect(session.info()).toMatchObject({ ...expected, counters: { messages: 1 } });
    expect(await store.sessions.get('s')).toEqual(session.info());
  });

  test('that cannot be read or written becomes a warning, and never fails a message', async () => {
    let fails = true;
    const fail = (): never => {
      throw new Error('index full');
    };
    const store = withIndex(memoryStore(), (index) => ({
      get: async (id) => (fails ? fail() : index.get(id)),
      put: async (...change) => (fails ? fail() : index.put(...change)),
    }));
    const host = await hostAt(store);
    const warnings: string[] = [];
    host.events.on('warning', ({ text }) => warnings.push(text));
    const session = await host.open('s');
    for (let n = 1; n <= 40; n += 1) await session.ingest(user(`message ${n}`));
    await settle();
    expect(session.info().counters.messages).toBe(40);
    expect(warnings.length).toBeGreaterThan(0);
    expect(warnings.every((text) => text.includes('index full'))).toBe(true);
    fails = false;
    await host.close();
    expect(await store.sessions.get('s')).toMatchObject({ rev: 1, counters: { messages: 40 } });
  });

  test('that somebody else changed first is read again, and the change is made on top of it', async () => {
    const store = memoryStore();
    const host = await hostAt(store);
    const session = await host.open('s');
    await store.sessions.put('s', { label: 'theirs', state: 'archived' }, { expectedRev: 1 });
    await session.ingest(user('hello'));
    const warnings: string[] = [];
    host.events.on('warning', ({ text }) => warnings.push(text));
    await host.close();
    expect(await store.sessions.get('s')).toMatchObject({
      rev: 3,
      label: 'theirs',
      state: 'archived',
      counters: { messages: 1 },
    });
    expect(warnings).toEqual([]);
  });

  test('counts what two hosts append to one session, each entry once', async () => {
    const store = memoryStore();
    const hosts = await Promise.all([hostAt(store), hostAt(store)]);
    const sessions = await Promise.all(hosts.map((host) => host.open('s')));
    for (let n = 0; n < 50; n += 1) await sessions[n % 2]?.ingest(user(`message ${n}`));
    await settle();
    for (const host of hosts) await host.close();
    const journal = await store.open('s', { readOnly: true });
    const entries: Entry[] = [];
    for await (const entry of journal.read()) entries.push(entry);
    expect((await store.sessions.get('s'))?.counters).toEqual(countAll(entries));
  });
});

describe('host.sessions', () => {
  test('lists open sessions as they are now, among those that are stored', async () => {
    const store = memoryStore();
    let now = 1_000;
    await using host = await hostAt(store, () => now);
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) {
      now += 1;
      await host.open(name, { agentId: name === 'c' ? 'other' : 'main' });
    }
    await (await host.open('e')).close();
    now = 5_000;
    await (await host.open('b')).ingest(user('hello'));
    const idsOf = async (query?: Parameters<typeof host.sessions.list>[0]) =>
      (await host.sessions.list(query)).map(({ sessionId }) => sessionId);
    expect(await idsOf()).toEqual(['b', 'e', 'd', 'c', 'a']);
    expect((await store.sessions.list()).map(({ sessionId }) => sessionId)).toEqual(['e', 'd', 'c', 'b', 'a']);
    expect(await idsOf({ agentId: 'other' })).toEqual(['c']);
    expect((await host.sessions.get('b'))?.counters.messages).toBe(1);
    expect((await host.sessions.get('e'))?.counters.messages).toBe(0);
    expect(await host.sessions.get('nobody')).toBeNull();
    const pages: string[] = [];
    for (let page = await host.sessions.list({ limit: 2 }); page.length > 0; ) {
      pages.push(...page.map(({ sessionId }) => sessionId));
      page = await host.sessions.list({ limit: 2, after: page.at(-1) });
    }
    expect(pages).toEqual(['b', 'e', 'd', 'c', 'a']);
  });
});

describe('opening a session', () => {
  test('waits for a close of the same session that is under way, and opens it anew', async () => {
    await using host = await createHost();
    const first = await host.open('s');
    await first.ingest(user('hello'));
    const closing = first.close();
    const [second, third] = await Promise.all([host.open('s'), host.open('s')]);
    await closing;
    expect(third).toBe(second);
    await second.ingest(user('there'));
    expect((await second.assemble({ model })).messages).toHaveLength(2);
  });

  test('refuses options that do not exist, and names the one that was meant', async () => {
    await expect(createHost({ plugin: [] } as never)).rejects.toMatchObject({
      code: 'VARVE_OPTION_INVALID',
      fix: 'Did you mean "plugins"?',
      details: { path: 'plugin', nearest: 'plugins' },
    });
    await expect(createHost({ zzz: 1 } as never)).rejects.toMatchObject({ details: { nearest: null } });
    await using host = await createHost();
    await expect(host.open('s', { readonly: true } as never)).rejects.toMatchObject({
      code: 'VARVE_OPTION_INVALID',
      fix: 'Did you mean "readOnly"?',
    });
  });

  test('gives plugins messages that they cannot change', async () => {
    await using host = await createHost();
    const session = await host.open('s');
    await session.ingest(user('hello'));
    expect(() => (session.view.messages() as unknown[]).push('x')).toThrow(TypeError);
  });

  test('remembers the last 1 000 keys, and lets older ones be ingested again', async () => {
    await using host = await createHost();
    const session = await host.open('s');
    for (let n = 0; n < 1_100; n += 1) await session.ingest(user('x'), { key: `key ${n}` });
    expect((await session.ingest(user('x'), { key: 'key 1099' })).seq).toBe(1_100);
    expect((await session.ingest(user('x'), { key: 'key 100' })).seq).toBe(101);
    expect((await session.ingest(user('x'), { key: 'key 0' })).seq).toBe(1_101);
  });

  test('reads the whole journal when another version wrote the checkpoint, and says so', async () => {
    const store = memoryStore();
    const host = await createHost({ store });
    const session = await host.open('s');
    for (let n = 0; n < 8; n += 1) {
      await session.ingest(user(`Question ${n} ${'clay '.repeat(200)}`), { key: `${n}` });
      await session.ingest({ role: 'assistant', content: 'Yes.' });
    }
    expect((await session.compact('manual', { model })).status).toBe('compacted');
    const expected = await session.assemble({ model, dryRun: true });
    await host.close();
    const newer: Store = {
      ...store,
      open: async (sessionId, options) => {
        const journal = await store.open(sessionId, options);
        return {
          ...journal,
          tail: async () => {
            const { checkpoint, entries } = await journal.tail();
            return { entries, checkpoint: checkpoint && { ...checkpoint, state: { v: 9, unheard: 'of' } as never } };
          },
        };
      },
    };
    const later = await createHost({ store: newer });
    const warnings: string[] = [];
    later.events.on('warning', ({ text }) => warnings.push(text));
    const again = await later.open('s');
    expect((await again.assemble({ model, dryRun: true })).messages).toEqual(expected.messages);
    expect((await again.ingest(user('x'), { key: '0' })).seq).toBe(1);
    expect(warnings).toEqual([expect.stringContaining('another version')]);
    await later.close();
  });
});

test('to look for one session, or for those of one key, makes no records of others that have a key', async () => {
  await using host = await createHost();
  let made = 0;
  for (const [id, key] of [
    ['a', 'agent:main:main'],
    ['b', 'agent:main:main'],
    ['c', 'agent:main:hook:1'],
    ['d', undefined],
  ] as const) {
    const session = await host.open(id, { key });
    const info = session.info.bind(session);
    Object.defineProperty(session, 'info', {
      value: () => {
        made += 1;
        return info();
      },
    });
  }
  expect(await host.sessions.get('c')).toMatchObject({ sessionId: 'c', key: 'agent:main:hook:1' });
  expect(made).toBe(1);
  const ids = (records: readonly { readonly sessionId: string }[]) => records.map(({ sessionId }) => sessionId).sort();
  expect(ids(await host.sessions.list({ key: 'agent:main:main' }))).toEqual(['a', 'b']);
  expect(made).toBe(4);
  expect(ids(await host.sessions.list())).toEqual(['a', 'b', 'c', 'd']);
});
