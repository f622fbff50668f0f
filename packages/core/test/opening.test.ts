import {
  createHost,
  definePlugin,
  type Entry,
  type Journal,
  memoryStore,
  type Session,
  type SessionRecord,
  type Store,
  sessionSettings,
  VarveError,
} from '@varve/core';
import { manualClock } from '@varve/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { call, deferred, entriesOf, say, scriptedModel, settle, tool, user } from './turn/scripted-model.ts';

const model = { provider: 'test', model: 'test-1' };

describe('what a session begins with', () => {
  const beginning = {
    settings: { send: 'off', incognito: true },
    state: { children: 'two run' },
    records: { 'host:begun-by': { reason: 'daily' } },
  };

  test('stands in its first append, before anybody can find it', async () => {
    const inner = memoryStore();
    const appends: string[][] = [];
    const isListed: boolean[] = [];
    const open: Store['open'] = async (sessionId, options) => {
      const journal = await inner.open(sessionId, options);
      const append: Journal['append'] = async (entries, conditions) => {
        appends.push(entries.map(({ type }) => type));
        isListed.push((await inner.sessions.get(sessionId)) !== null);
        return journal.append(entries, conditions);
      };
      return { ...journal, append };
    };
    await using host = await createHost({ store: { ...inner, open } });
    const told: string[] = [];
    host.events.on('session-created', () => void told.push('session-created'));
    host.events.on('entry-appended', ({ seq }) => void told.push(`entry #${seq}`));
    const session = await host.open('s', beginning);
    await session.ingest(user('Hello.'));
    expect(appends).toEqual([['setting', 'setting', 'state', 'host:begun-by'], ['message']]);
    expect(isListed).toEqual([false, true]);
    expect(session.view.settings).toEqual({ send: 'off', incognito: true });
    expect(session.view.lastRecord('begun-by')).toEqual({ reason: 'daily' });
    expect(JSON.stringify((await session.assemble({ model })).messages)).toContain('two run');
    await settle();
    expect(told).toEqual(['session-created', 'entry #1', 'entry #2', 'entry #3', 'entry #4', 'entry #5']);
    expect(session.info().counters.countedSeq).toBe(5);
  });

  test('changes nothing of a session that has entries, open or not', async () => {
    const store = memoryStore();
    const first = await createHost({ store });
    const session = await first.open('s');
    await session.set('send', 'on');
    expect(await first.open('s', beginning)).toBe(session);
    await first.close();
    await using host = await createHost({ store });
    const again = await host.open('s', beginning);
    expect(again.view.settings).toEqual({ send: 'on' });
    expect(await entriesOf(again)).toHaveLength(1);
  });

  test('is taken by a session that was begun, but holds nothing yet', async () => {
    const store = memoryStore();
    await store.open('s', { create: { v: 1, sessionId: 's', createdAt: 1 } });
    await using host = await createHost({ store });
    expect((await host.open('s', beginning)).view.settings).toEqual(beginning.settings);
  });

  test('leaves a session as it is when somebody else begins it first', async () => {
    const inner = memoryStore();
    let isFirst = true;
    const open: Store['open'] = async (sessionId, options) => {
      const journal = await inner.open(sessionId, options);
      const append: Journal['append'] = async (entries, conditions) => {
        if (isFirst) {
          isFirst = false;
          await using other = await createHost({ store: inner });
          await (await other.open(sessionId)).ingest(user('I was first.'));
        }
        return journal.append(entries, conditions);
      };
      return { ...journal, append };
    };
    await using host = await createHost({ store: { ...inner, open } });
    const session = await host.open('s', beginning);
    expect(session.view.settings).toEqual({});
    expect(session.view.messages()).toHaveLength(1);
  });

  test.each(['message', 'core:lease', 'Host:word', ''])('has no record of the type %j', async (type) => {
    await using host = await createHost();
    const records = { [type]: {} } as never;
    const expected = expect.objectContaining({
      code: type === '' ? 'VARVE_OPTION_INVALID' : 'VARVE_PLUGIN_RECORD',
    });
    await expect(host.open('s', { records })).rejects.toThrow(expected);
    await (await host.open('t')).ingest(user('Hello.'));
    await expect(host.fork('t', { newSessionId: 'f', records })).rejects.toThrow(expected);
  });

  test('leaves no record of a session that could not be begun with it', async () => {
    const inner = memoryStore();
    const refuse = async (): Promise<never> => {
      throw new VarveError('VARVE_STORE_IO', 'The disk is full.', { fix: 'Make room.' });
    };
    const open: Store['open'] = async (...given) => ({ ...(await inner.open(...given)), append: refuse });
    await using host = await createHost({ store: { ...inner, open } });
    await expect(host.open('s', beginning)).rejects.toMatchObject({ code: 'VARVE_STORE_IO' });
    expect(await inner.sessions.get('s')).toBeNull();
  });

  test('is nothing to a session that is only looked at', async () => {
    const store = memoryStore();
    await store.open('s', { create: { v: 1, sessionId: 's', createdAt: 1 } });
    await using host = await createHost({ store });
    expect((await host.open('s', { ...beginning, readOnly: true })).view.settings).toEqual({});
  });

  test('names the settings that Varve knows by themselves', () => {
    expect(Object.entries(sessionSettings).filter(([name, value]) => name !== value)).toEqual([]);
  });
});

describe('the generation before', () => {
  test('stands in the header of the journal and in the record, and is never changed', async () => {
    const store = memoryStore();
    const first = await createHost({ store });
    const session = await first.open('new', { key: 'k', previousSessionId: 'old' });
    expect(session.info()).toMatchObject({ previousSessionId: 'old', currentSince: null });
    expect((await store.open('new', { readOnly: true })).header).toMatchObject({ previousSessionId: 'old' });
    await first.close();
    await using host = await createHost({ store });
    expect((await host.open('new', { previousSessionId: 'other' })).info().previousSessionId).toBe('old');
    expect((await host.open('plain')).info().previousSessionId).toBeNull();
  });
});

describe('host.sessions.patch', () => {
  const patch = { state: 'archived', label: 'L', displayName: 'D', currentSince: 7 } as const;

  test('changes the record of a session, whether or not it is open, and of nothing else', async () => {
    const store = memoryStore();
    const clock = manualClock(1_000);
    await using host = await createHost({ store, clock });
    const session = await host.open('open', { key: 'k', label: 'before' });
    await session.ingest(user('Hello.'));
    await (await host.open('closed', { key: 'k' })).close();
    clock.advance(500);
    for (const sessionId of ['open', 'closed']) {
      const patched = await host.sessions.patch(sessionId, patch);
      expect(patched).toMatchObject({ ...patch, key: 'k', updatedAt: 1_500 });
      expect(await host.sessions.get(sessionId)).toEqual(patched);
      expect(await store.sessions.get(sessionId)).toEqual(patched);
      const back = await host.sessions.patch(sessionId, { label: null });
      expect(back).toMatchObject({ ...patch, label: null });
    }
    expect(session.info()).toMatchObject({ state: 'archived', label: null, counters: { messages: 1 } });
    await session.ingest(user('Archived, and open all the same.'));
  });

  test('is not written over by the session that is open, however often it is written', async () => {
    const store = memoryStore();
    await using host = await createHost({ store });
    const session = await host.open('s', { label: 'from the start' });
    const put = async (change: Partial<SessionRecord>): Promise<unknown> =>
      store.sessions.put('s', change, { expectedRev: (await store.sessions.get('s'))?.rev ?? 0 });
    await put({ label: 'patched elsewhere', currentSince: 8 });
    await host.sessions.patch('s', { currentSince: 9, displayName: 'patched here' });
    await put({ displayName: 'patched elsewhere, too' });
    for (let n = 0; n < 40; n += 1) await session.ingest(user(`message ${n}`));
    await session.close();
    const stored = await store.sessions.get('s');
    expect(stored).toMatchObject({
      label: 'patched elsewhere',
      displayName: 'patched elsewhere, too',
      currentSince: 9,
      counters: { messages: 40 },
    });
  });

  test('stands beside all that others change at the same time', async () => {
    const store = memoryStore();
    const hosts = await Promise.all([1, 2, 3].map(() => createHost({ store })));
    const [first] = hosts;
    await (await first?.open('s'))?.ingest(user('Hello.'));
    const patches = [{ label: 'L' }, { displayName: 'D' }, { currentSince: 5 }, { state: 'archived' }] as const;
    await Promise.all(patches.flatMap((one) => hosts.map((host) => host.sessions.patch('s', one))));
    await Promise.all(hosts.map((host) => host.close()));
    const expected = { label: 'L', displayName: 'D', currentSince: 5, state: 'archived' };
    expect(await store.sessions.get('s')).toMatchObject({ ...expected, counters: { messages: 1 } });
  });

  test('waits for a session that is being opened, and for one that is being closed', async () => {
    const store = memoryStore();
    await using host = await createHost({ store });
    const opening = host.open('s', { label: 'from the start' });
    const patched = host.sessions.patch('s', { label: 'patched' });
    const session = await opening;
    await patched;
    expect(session.info().label).toBe('patched');
    const closing = session.close();
    await host.sessions.patch('s', { displayName: 'D' });
    await closing;
    expect(await store.sessions.get('s')).toMatchObject({ label: 'patched', displayName: 'D' });
  });

  test('leaves the record as it was when it cannot be stored', async () => {
    const inner = memoryStore();
    let isFull = false;
    const put: Store['sessions']['put'] = async (...given) => {
      if (isFull) throw new VarveError('VARVE_STORE_IO', 'The disk is full.', { fix: 'Make room.' });
      return inner.sessions.put(...given);
    };
    await using host = await createHost({ store: { ...inner, sessions: { ...inner.sessions, put } } });
    const session = await host.open('s', { label: 'L' });
    isFull = true;
    await expect(host.sessions.patch('s', { label: 'M' })).rejects.toMatchObject({ code: 'VARVE_STORE_IO' });
    expect(session.info().label).toBe('L');
    isFull = false;
    expect(await host.sessions.patch('s', { displayName: 'D' })).toMatchObject({ label: 'L', displayName: 'D' });
  });

  test('refuses a session that has no record, and what is no field of one that may be changed', async () => {
    await using host = await createHost();
    await host.open('s');
    const missing = { code: 'VARVE_STORE_MISSING' };
    const invalid = { code: 'VARVE_OPTION_INVALID' };
    await expect(host.sessions.patch('nobody', { label: 'x' })).rejects.toMatchObject(missing);
    for (const wrong of [
      { key: 'k' },
      { counters: null },
      { state: 'gone' },
      { currentSince: 'now' },
      { lease: null },
    ]) {
      await expect(host.sessions.patch('s', wrong as never)).rejects.toMatchObject(invalid);
    }
  });
});

describe('session.abort', () => {
  const open = async (): Promise<Session> => (await createHost({ clock: manualClock() })).open('s');
  const stuck = (): Promise<never> => new Promise(() => undefined);

  test('ends the turn that runs and those that wait, with its reason, and leaves the session as useful as before', async () => {
    const session = await open();
    const reasons: unknown[] = [];
    const hanging = scriptedModel([
      (_, { signal }) => {
        signal?.addEventListener('abort', () => void reasons.push(signal.reason));
        return stuck();
      },
    ]);
    const turns = ['One', 'Two'].map((text) => session.turn({ message: user(text), model: hanging.port }));
    await settle();
    expect(session.abort('The user pressed stop.')).toBe(true);
    expect((await Promise.all(turns)).map(({ status }) => status)).toEqual(['aborted', 'aborted']);
    expect(reasons).toEqual(['The user pressed stop.']);
    const next = await session.turn({ message: user('Three'), model: scriptedModel([say('Yes.')]).port });
    expect(next).toMatchObject({ status: 'answered', text: 'Yes.' });
  });

  test('ends a tool that runs', async () => {
    const session = await open();
    const begun = deferred<void>();
    const wait = tool('wait', async () => {
      begun.resolve();
      return stuck();
    });
    const asking = scriptedModel([call(['a', 'wait'])]);
    const turn = session.turn({ message: user('Wait.'), model: asking.port, tools: [wait] });
    await begun.promise;
    expect(session.abort()).toBe(true);
    expect(await turn).toMatchObject({ status: 'aborted' });
  });

  test('says that there was none, and then aborts nothing that comes later', async () => {
    const session = await open();
    expect(session.abort()).toBe(false);
    const turn = await session.turn({ message: user('One'), model: scriptedModel([say('Yes.')]).port });
    expect(turn.status).toBe('answered');
    expect(session.abort()).toBe(false);
  });

  test('is nothing to a session that is only looked at, or closed', async () => {
    const store = memoryStore();
    await using host = await createHost({ store });
    const session = await host.open('s');
    const reader = await host.open('s', { readOnly: true });
    const turn = session.turn({ message: user('One'), model: scriptedModel([stuck]).port });
    await settle();
    expect(reader.abort()).toBe(false);
    expect(session.abort()).toBe(true);
    await turn;
    await session.close();
    expect(session.abort()).toBe(false);
  });
});

test('plugins are told of a new session with what it begins with', async () => {
  const seen: unknown[] = [];
  const watcher = definePlugin({
    name: 'watcher',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: ({ hooks }) => {
      hooks.ingest.tapPromise('watcher', async (_, { session }) => {
        seen.push(session.settings);
      });
    },
  });
  await using host = await createHost({ plugins: [watcher({})] });
  const session = await host.open('s', { settings: { incognito: true } });
  await session.ingest(user('Hello.'));
  expect(seen).toEqual([{ incognito: true }]);
  const types = (await entriesOf(session)).map(({ type }: Entry) => type);
  expect(types).toEqual(['setting', 'message']);
});
