import {
  createHost,
  type Entry,
  fold,
  type Host,
  type Journal,
  type JournalBatch,
  type Message,
  memoryStore,
  type Session,
  type Store,
  VarveError,
} from '@varve/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { call, deferred, say, scriptedModel, settle, tool, user } from './turn/scripted-model.ts';

const model = { provider: 'test', model: 'test-1' };
const answered = (content: string): Message => ({ role: 'assistant', content });

async function entriesIn(store: Store, sessionId: string): Promise<readonly Entry[]> {
  const journal = await store.open(sessionId, { readOnly: true });
  const entries: Entry[] = [];
  for await (const entry of journal.read()) entries.push(entry);
  return entries;
}

/** What the tail of a journal means; the law of tails is checked on the way. */
async function foldIn(store: Store, sessionId: string) {
  const folded = fold(await (await store.open(sessionId, { readOnly: true })).tail());
  expect(folded).toEqual(fold({ checkpoint: null, entries: await entriesIn(store, sessionId) }));
  return folded;
}

async function talk(session: Session, rounds: number): Promise<void> {
  for (let n = 1; n <= rounds; n += 1) {
    await session.ingest(user(`Question ${n}. ${'clay '.repeat(100)}`));
    await session.assemble({ model });
    await session.ingest(answered(`Answer ${n}. ${'silt '.repeat(100)}`));
  }
}

const promptOf = async (session: Session) => (await session.assemble({ model, dryRun: true })).messages;

type Step = 'user' | 'answer' | 'call' | 'result' | 'prompt' | 'compact' | 'move' | 'undo' | 'setting' | 'state';

/** Takes a step with the session, as far as it can be taken. */
async function take(session: Session, step: Step, n: number): Promise<void> {
  const entries: Entry[] = [];
  for await (const entry of session.read()) entries.push(entry);
  const picked = entries[(n * 7) % Math.max(1, entries.length)];
  switch (step) {
    case 'user':
      await session.ingest(user(`Question ${n}. ${'clay '.repeat(60)}`), { key: `key ${n}` });
      return;
    case 'answer':
      await session.ingest(answered(`Answer ${n}. ${'silt '.repeat(60)}`));
      return;
    case 'call':
      await session.ingest(call([`c${n}`, 'look']).message);
      return;
    case 'result': {
      const open = entries.findLast(
        (entry) => entry.type === 'message' && JSON.stringify(entry).includes('tool-call"'),
      );
      const toolCallId = /"toolCallId":"(c\d+)"/.exec(JSON.stringify(open ?? {}))?.[1];
      if (toolCallId === undefined) return;
      const output = { type: 'text', value: 'loam '.repeat(40) } as const;
      await session.ingest({
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId, toolName: 'look', output }],
      });
      return;
    }
    case 'prompt':
      await session.assemble({ model });
      return;
    case 'compact':
      await session.compact('manual', { model });
      return;
    case 'move':
      if (picked !== undefined) await session.moveHead(picked.id, { reason: 'branch' });
      return;
    case 'undo': {
      const newest = session.view.compaction();
      if (newest !== null) await session.undo(newest.id);
      return;
    }
    case 'setting':
      await session.set(`s${n % 3}`, n);
      return;
    case 'state':
      await session.setState(`slot ${n % 3}`, n % 4 === 0 ? null : `state ${n}`);
      return;
  }
}

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<Step>('user', 'answer', 'call', 'result') },
  { weight: 3, arbitrary: fc.constantFrom<Step>('prompt', 'setting', 'state') },
  { weight: 3, arbitrary: fc.constantFrom<Step>('compact', 'move', 'undo') },
);

describe('a fork', () => {
  test('means what its origin means, whatever happened there before', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 30 }), async (taken) => {
        const store = memoryStore();
        await using host = await createHost({ store });
        const session = await host.open('s');
        for (const [n, step] of taken.entries()) await take(session, step, n);
        const fork = await host.fork('s', { newSessionId: 'f' });
        expect(await entriesIn(store, 'f')).toEqual(await entriesIn(store, 's'));
        expect(await foldIn(store, 'f')).toEqual(await foldIn(store, 's'));
        expect(await promptOf(fork)).toEqual(await promptOf(session));
      }),
      { numRuns: 40 },
    );
  });

  test('at an earlier entry means what its origin meant when that was the last one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 2, maxLength: 24 }), fc.nat(), async (taken, pick) => {
        const store = memoryStore();
        await using host = await createHost({ store });
        const session = await host.open('s');
        for (const [n, step] of taken.entries()) await take(session, step, n);
        await session.set('last', 1);
        const entries = await entriesIn(store, 's');
        const at = entries[pick % entries.length] as Entry;
        const fork = await host.fork('s', { newSessionId: 'f', at: at.id });
        const copied = await entriesIn(store, 'f');
        expect(copied).toEqual(entries.slice(0, copied.length));
        expect(copied.length).toBeGreaterThanOrEqual(at.seq);
        expect(await foldIn(store, 'f')).toEqual(fold({ checkpoint: null, entries: copied }));
        expect(fork.info().forkedFrom).toEqual({ sessionId: 's', entryId: copied.at(-1)?.id, seq: copied.length });
      }),
      { numRuns: 40 },
    );
  });

  test('at a call is one behind its results', async () => {
    await using host = await createHost();
    const session = await host.open('s');
    await session.ingest(user('Look.'));
    const { id } = await session.ingest(call(['a', 'look'], ['b', 'look']).message);
    for (const toolCallId of ['a', 'b']) {
      const output = { type: 'text', value: `found ${toolCallId}` } as const;
      const content = [{ type: 'tool-result', toolCallId, toolName: 'look', output }] as const;
      await session.ingest({ role: 'tool', content: [...content] });
    }
    await session.ingest(answered('Both.'));
    const fork = await host.fork('s', { newSessionId: 'f', at: id });
    expect(fork.info().forkedFrom).toMatchObject({ seq: 4 });
    expect(JSON.stringify(await promptOf(fork))).toContain('found b');
    expect(JSON.stringify(await promptOf(fork))).not.toContain('Both.');
  });

  test('goes its own way, and leaves its origin as it is', async () => {
    const store = memoryStore();
    await using host = await createHost({ store });
    const session = await host.open('s', { key: 'one' });
    await talk(session, 3);
    const before = await entriesIn(store, 's');
    const fork = await host.fork('s', { newSessionId: 'f', key: 'two', label: 'A try', previousSessionId: 'p' });
    await fork.ingest(user('Only here.'));
    await session.ingest(user('Only there.'));
    expect((await entriesIn(store, 's')).slice(0, before.length)).toEqual(before);
    expect(JSON.stringify(await promptOf(session))).not.toContain('Only here.');
    expect(JSON.stringify(await promptOf(fork))).not.toContain('Only there.');
    expect(session.info()).toMatchObject({ key: 'one', forkedFrom: null });
    const forkedFrom = { sessionId: 's', entryId: before.at(-1)?.id, seq: before.length };
    expect(fork.info()).toMatchObject({ key: 'two', label: 'A try', forkedFrom, previousSessionId: 'p' });
    expect(fork.info().counters.countedSeq).toBe(before.length + 1);
  });

  test('takes what its origin has not stored yet, while a turn of it runs', async () => {
    const store = memoryStore();
    await using host = await createHost({ store });
    const session = await host.open('s');
    const gate = deferred<void>();
    const look = tool('look', async () => {
      await gate.promise;
      return 'found';
    });
    const scripted = scriptedModel([call(['a', 'look']), say('Done.')]);
    const turn = session.turn({ message: user('Look.'), model: scripted.port, tools: [look] });
    await settle();
    const fork = await host.fork('s', { newSessionId: 'f' });
    expect(fork.view.messages().map(({ message }) => message.role)).toEqual(['user', 'assistant']);
    gate.resolve();
    expect((await turn).text).toBe('Done.');
    expect(fork.view.messages()).toHaveLength(2);
  });

  test('is made of a session that is closed, or archived', async () => {
    const store = memoryStore();
    const first = await createHost({ store });
    await talk(await first.open('s'), 2);
    await first.sessions.patch('s', { state: 'archived' });
    await first.close();
    await using host = await createHost({ store });
    const fork = await host.fork('s', { newSessionId: 'f' });
    expect(fork.view.messages()).toHaveLength(4);
    expect(fork.info().state).toBe('open');
    expect(await store.sessions.get('s')).toMatchObject({ state: 'archived' });
  });

  test('of a session without entries has none, and begins with what it is given', async () => {
    await using host = await createHost();
    await host.open('s');
    const records = { 'host:begun-by': { reason: 'asked' } };
    const fork = await host.fork('s', { newSessionId: 'f', settings: { send: 'off' }, records });
    expect(fork.info().forkedFrom).toEqual({ sessionId: 's', entryId: null, seq: 0 });
    expect(fork.view.settings).toEqual({ send: 'off' });
    expect(fork.view.lastRecord('begun-by')).toEqual({ reason: 'asked' });
  });

  test('has the settings and state of its origin, and those that it is given win', async () => {
    await using host = await createHost();
    const session = await host.open('s');
    await session.set('send', 'on');
    await session.set('thinking', 'high');
    await session.setState('children', 'two');
    await talk(session, 1);
    const given = { settings: { send: 'off' }, state: { children: 'none' } };
    const fork = await host.fork('s', { newSessionId: 'f', ...given });
    expect(fork.view.settings).toEqual({ send: 'off', thinking: 'high' });
    expect(JSON.stringify(await promptOf(fork))).toContain('none');
    expect(JSON.stringify(await promptOf(fork))).not.toContain('two');
    expect(session.view.settings).toMatchObject({ send: 'on' });
  });

  test('is told of as a session that was created', async () => {
    await using host = await createHost();
    await talk(await host.open('s'), 1);
    const told: string[] = [];
    host.events.on('session-created', ({ sessionId }) => void told.push(sessionId));
    host.events.on('entry-appended', ({ sessionId, seq }) => void told.push(`${sessionId} #${seq}`));
    await host.fork('s', { newSessionId: 'f' });
    await settle();
    expect(told).toEqual(['f']);
  });
});

describe('a fork is refused', () => {
  async function hostWithTalk(): Promise<Host> {
    const host = await createHost();
    await talk(await host.open('s'), 4);
    return host;
  }

  test('when its messages have more tokens than it may have, naming both', async () => {
    await using host = await hostWithTalk();
    const session = await host.open('s');
    const tokens = session.view.messages().reduce((sum, entry) => sum + entry.tokens.n, 0);
    const refused = host.fork('s', { newSessionId: 'f', mostTokens: tokens - 1 });
    await expect(refused).rejects.toMatchObject({
      code: 'VARVE_FORK_TOO_LARGE',
      details: { tokens, mostTokens: tokens - 1 },
      message: expect.stringMatching(new RegExp(`${tokens} tokens.*${tokens - 1} are`)),
    });
    expect(await host.sessions.get('f')).toBeNull();
    const [, first] = session.view.messages();
    const earlier = await host.fork('s', { newSessionId: 'e', at: first?.id, mostTokens: tokens - 1 });
    expect(earlier.view.messages()).toHaveLength(2);
    expect((await host.fork('s', { newSessionId: 'f', mostTokens: tokens })).view.messages()).toHaveLength(8);
  });

  test('counts only what a compaction left to be seen', async () => {
    await using host = await hostWithTalk();
    const session = await host.open('s');
    const whole = session.view.messages().reduce((sum, entry) => sum + entry.tokens.n, 0);
    expect((await session.compact('manual', { model })).status).toBe('compacted');
    const fork = await host.fork('s', { newSessionId: 'f', mostTokens: whole / 2 });
    expect(await promptOf(fork)).toEqual(await promptOf(session));
  });

  test('when there is a session of that name, open or not, or none to fork', async () => {
    await using host = await hostWithTalk();
    await host.open('open');
    await (await host.open('closed')).close();
    for (const newSessionId of ['open', 'closed', 's']) {
      await expect(host.fork('s', { newSessionId })).rejects.toMatchObject({ code: 'VARVE_FORK_EXISTS' });
    }
    await expect(host.fork('nobody', { newSessionId: 'f' })).rejects.toMatchObject({ code: 'VARVE_STORE_MISSING' });
    expect((await host.fork('s', { newSessionId: 'f' })).sessionId).toBe('f');
    await expect(host.fork('s', { newSessionId: 'f' })).rejects.toMatchObject({ code: 'VARVE_FORK_EXISTS' });
  });

  test('when it is to lead to an entry that is not there', async () => {
    await using host = await hostWithTalk();
    const fork = host.fork('s', { newSessionId: 'f', at: 'nowhere' });
    await expect(fork).rejects.toMatchObject({ code: 'VARVE_ENTRY_UNKNOWN' });
    await expect(host.open('f', { readOnly: true })).rejects.toMatchObject({ code: 'VARVE_STORE_MISSING' });
  });

  test('to all but one of those who make the same one at the same time', async () => {
    await using host = await hostWithTalk();
    const forks = [1, 2, 3].map(() => host.fork('s', { newSessionId: 'f' }));
    const codes = (await Promise.allSettled(forks)).map((result) =>
      result.status === 'fulfilled' ? 'made' : (result.reason as VarveError).code,
    );
    expect(codes.toSorted()).toEqual(['VARVE_FORK_EXISTS', 'VARVE_FORK_EXISTS', 'made']);
  });
});

/** A store whose journal `f` takes some appends and then fails, as one whose process ends. */
function endingAfter(inner: Store, appends: number): Store {
  let left = appends;
  const open: Store['open'] = async (sessionId, options) => {
    const journal: Journal = await inner.open(sessionId, options);
    if (sessionId !== 'f') return journal;
    const append: Journal['append'] = async (entries, conditions) => {
      left -= 1;
      if (left < 0) throw new VarveError('VARVE_STORE_IO', 'The process has ended.', { fix: 'Start it again.' });
      return journal.append(entries, conditions);
    };
    return { ...journal, append };
  };
  return { ...inner, open };
}

describe('a fork that was not finished', () => {
  async function storeWithTalk(): Promise<Store> {
    const store = memoryStore();
    await using host = await createHost({ store });
    const session = await host.open('s');
    await session.set('send', 'off');
    await talk(session, 30);
    await session.compact('manual', { model });
    await talk(session, 30);
    return store;
  }

  const forkAfter = async (store: Store, appends: number): Promise<unknown> => {
    await using host = await createHost({ store: endingAfter(store, appends) });
    return await host.fork('s', { newSessionId: 'f', settings: { send: 'on' } }).then(
      () => 'made',
      (error: VarveError) => error.code,
    );
  };

  test('is opened by nobody, and finished by a second call', async () => {
    const whole = await storeWithTalk();
    const origin = await entriesIn(whole, 's');
    let wasTorn = 0;
    for (let appends = 0; ; appends += 1) {
      const store = await storeWithTalk();
      if ((await forkAfter(store, appends)) === 'made') break;
      await using host = await createHost({ store });
      if (appends > 0) {
        wasTorn += 1;
        await expect(host.open('f')).rejects.toMatchObject({ code: 'VARVE_FORK_TORN' });
        await expect(host.open('f', { readOnly: true })).rejects.toMatchObject({ code: 'VARVE_FORK_TORN' });
        await expect(host.fork('f', { newSessionId: 'g' })).rejects.toMatchObject({ code: 'VARVE_FORK_TORN' });
      }
      const session = await host.open('s');
      await session.ingest(user('Meanwhile.'));
      const fork = await host.fork('s', { newSessionId: 'f', settings: { send: 'on' } });
      expect(fork.view.settings).toEqual({ send: 'on' });
      const copied = await entriesIn(store, 'f');
      expect(copied).toHaveLength(origin.length + 1);
      expect(copied.slice(0, -1)).toEqual((await entriesIn(store, 's')).slice(0, origin.length));
      await foldIn(store, 'f');
    }
    expect(wasTorn).toBeGreaterThan(2);
  });

  test('is refused when it is to lead elsewhere now, or to be one of another session', async () => {
    const store = await storeWithTalk();
    await forkAfter(store, 2);
    await using host = await createHost({ store });
    await talk(await host.open('other'), 1);
    const [first] = await entriesIn(store, 's');
    const wrong = [host.fork('other', { newSessionId: 'f' }), host.fork('s', { newSessionId: 'f', at: first?.id })];
    for (const fork of wrong) await expect(fork).rejects.toMatchObject({ code: 'VARVE_FORK_EXISTS' });
  });

  test('is refused when its origin has forgotten something since', async () => {
    const store = await storeWithTalk();
    await forkAfter(store, 2);
    await using host = await createHost({ store });
    const session = await host.open('s');
    const [secret] = (await entriesIn(store, 's')).filter(({ type }) => type === 'message');
    await session.forget([secret?.id ?? ''], 'asked by its owner');
    await expect(host.fork('s', { newSessionId: 'f' })).rejects.toMatchObject({ code: 'VARVE_FORK_EXISTS' });
  });
});

test('nothing is forgotten while a fork is made of it', async () => {
  const inner = memoryStore();
  const reading = deferred<void>();
  const gate = deferred<void>();
  const open: Store['open'] = async (sessionId, options) => {
    const journal = await inner.open(sessionId, options);
    if (sessionId !== 'f') return journal;
    const append: Journal['append'] = async (entries, conditions) => {
      reading.resolve();
      await gate.promise;
      return journal.append(entries, conditions);
    };
    return { ...journal, append };
  };
  await using host = await createHost({ store: { ...inner, open } });
  const session = await host.open('s');
  const { id } = await session.ingest(user('The vault is behind the third painting.'));
  const forking = host.fork('s', { newSessionId: 'f' });
  await reading.promise;
  await expect(session.forget([id], 'test')).rejects.toMatchObject({ code: 'VARVE_FORGET_REFUSED' });
  gate.resolve();
  await forking;
  await session.forget([id], 'test');
});

test('a session that lacks entries cannot be forked, and the first that is missing is named', async () => {
  const inner = memoryStore();
  const open: Store['open'] = async (sessionId, options) => {
    const journal = await inner.open(sessionId, options);
    const read: Journal['read'] = async function* read(range) {
      for await (const entry of journal.read(range)) if (entry.seq !== 3) yield entry;
    };
    return sessionId === 's' ? { ...journal, read } : journal;
  };
  await using host = await createHost({ store: { ...inner, open } });
  await talk(await host.open('s'), 3);
  const fork = host.fork('s', { newSessionId: 'f' });
  await expect(fork).rejects.toMatchObject({ code: 'VARVE_STORE_DAMAGED', details: { seq: 3 } });
});

test('a fork holds no more of its origin at a time than a batch and what is visible', async () => {
  const inner = memoryStore();
  const sizes: number[] = [];
  const open: Store['open'] = async (sessionId, options) => {
    const journal = await inner.open(sessionId, options);
    const append: Journal['append'] = (entries: JournalBatch['entries'], conditions) => {
      if (sessionId === 'f') sizes.push(entries.length);
      return journal.append(entries, conditions);
    };
    return { ...journal, append };
  };
  await using host = await createHost({ store: { ...inner, open } });
  await talk(await host.open('s'), 200);
  await host.fork('s', { newSessionId: 'f' });
  expect(Math.max(...sizes)).toBe(64);
  expect(sizes.reduce((sum, size) => sum + size)).toBe((await host.open('s')).info().counters.countedSeq);
});
