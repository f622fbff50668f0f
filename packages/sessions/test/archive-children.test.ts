import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { conversations, idOf } from './many-records.ts';
import { entriesOf, recordsOf } from './stage.ts';
import { allHome, beginFamily, endsTold, heldChild, parentKey } from './subagent-family.ts';
import { gate, plugin } from './talk.ts';

const newKey = 'agent:main:direct:~fork';

describe('an archive that waits while a sub-agent is begun', () => {
  it.each([false, true])('sees it when it is its turn (cascade: %s)', async (cascade) => {
    const [held, spawning] = [heldChild(), gate()];
    await using family = await beginFamily({ child: held.child });
    const { sessions } = family;
    const using = sessions.use(parentKey, async () => {
      await spawning.opened;
      return sessions.spawn(parentKey, { task: 'late' });
    });
    const archiving = sessions.archive(parentKey, { cascade });
    const archived = archiving.catch((error: unknown) => error);
    spawning.open();
    const { childKey, ended } = await using;
    if (cascade) {
      expect(await ended).toMatchObject({ status: 'stopped' });
      expect(await archived).toMatchObject({ sessionId: expect.any(String) });
      expect(await sessions.current(parentKey)).toBeNull();
      expect(await endsTold(family)).toHaveLength(1);
    } else {
      expect(await archived).toMatchObject({ code: 'VARVE_CHILDREN_RUNNING', details: { children: [childKey] } });
      expect(await sessions.current(parentKey)).not.toBeNull();
      held.go();
    }
  });
});

describe('a fork of a conversation whose sub-agent works', () => {
  it('has none itself: its prompts show none, and its archive stops none', async () => {
    const held = heldChild();
    await using family = await beginFamily({ child: held.child, subagents: { maxChildren: 1 } });
    const { sessions, store } = family;
    await sessions.spawn(parentKey, { task: 'x' });
    await held.asked;
    const { sessionId } = await sessions.fork(parentKey, { newKey });
    const slot = (await entriesOf(store, sessionId)).findLast(({ type }) => type === 'state');
    expect(slot).toMatchObject({ slot: 'subagents', text: null });
    const { ended } = await sessions.spawn(newKey, { task: 'own' });
    await sessions.stopChild((await sessions.children(newKey))[0]?.childKey ?? '');
    await ended;
    await allHome(sessions, newKey);
    expect(await sessions.archive(newKey, { cascade: true })).toEqual({ sessionId });
    expect(await sessions.children(parentKey)).toMatchObject([{ end: null }]);
    held.go();
    await allHome(sessions);
  });

  it('is cleared of those that it has copied, where it was made without a key', async ({ signal }) => {
    const held = heldChild();
    await using family = await beginFamily({ child: held.child });
    const { sessions, host, store } = family;
    await family.say('Hello.');
    const { sessionId: child } = await sessions.spawn(parentKey, { task: 'x' });
    await held.asked;
    const source = (await sessions.current(parentKey))?.sessionId ?? '';
    const newSessionId = idOf(77);
    await (await host.fork(source, { newSessionId, key: newKey })).close();
    await sessions.use(newKey, (session) => session.ingest({ role: 'user', content: 'Hello.' }));
    const slot = async () => (await entriesOf(store, newSessionId)).findLast((entry) => entry.type === 'state');
    while ((await slot())?.text !== null) await setImmediate(undefined, { signal });
    expect(await sessions.archive(newKey)).toEqual({ sessionId: newSessionId });
    expect((await host.sessions.get(child))?.state).toBe('open');
    held.go();
    await allHome(sessions);
  });
});

describe('whatever is archived or restored', () => {
  it('is told, also a sub-agent whose beginning is taken back', async () => {
    const refusing = plugin('acme/refusing', ({ hooks }) => {
      hooks.ingest.tapPromise('refuse', async ({ message }) => {
        if (JSON.stringify(message).includes('You are a sub-agent')) throw new Error('No.');
        return undefined;
      });
    });
    await using family = await beginFamily({ plugins: [refusing] });
    const told: string[] = [];
    family.host.events.on('session-archived', ({ reason }) => void told.push(reason));
    await expect(family.sessions.spawn(parentKey, { task: 'x' })).rejects.toThrow();
    expect(told).toEqual(['subagent-taken-back']);
    expect((await recordsOf(family.store)).filter(({ state }) => state === 'archived')).toHaveLength(1);
  });

  it('is told of a session without a key, too', async () => {
    await using many = await conversations();
    const { sessions, host, put } = many;
    const told: string[] = [];
    for (const name of ['session-archived', 'session-restored'] as const) {
      host.events.on(name, ({ sessionId }) => void told.push(`${name} ${sessionId}`));
    }
    await put(idOf(1), {});
    await sessions.bulk({}, { do: 'archive' });
    await sessions.bulk({}, { do: 'restore' });
    expect(told).toEqual([`session-archived ${idOf(1)}`, `session-restored ${idOf(1)}`]);
  });
});

describe('many sessions', () => {
  it('are archived with one walk over those that may be sub-agents, however many they are', async () => {
    const listsOf = async (count: number): Promise<number> => {
      await using many = await conversations();
      const { sessions, store } = many;
      for (let n = 1; n <= count; n += 1) {
        await sessions.use(`agent:main:direct:${n}`, (session) => session.ingest({ role: 'user', content: 'Hello.' }));
      }
      let lists = 0;
      const { list } = store.sessions;
      store.sessions.list = async (query) => {
        if (query?.key === undefined) lists += 1;
        return list(query);
      };
      const report = await sessions.bulk({}, { do: 'archive' });
      expect(report.lines.map(({ outcome }) => outcome)).toEqual(Array(count).fill('done'));
      return lists;
    };
    expect(await listsOf(12)).toBe(await listsOf(3));
  });

  it('of one conversation are listed with one question for the one that goes on', async () => {
    await using many = await conversations();
    const { sessions, store, clock } = many;
    const key = 'agent:main:main';
    for (let n = 0; n < 4; n += 1) {
      clock.advance(1_000);
      await sessions.reset(key, { reason: 'new' });
      await sessions.use(key, (session) => session.ingest({ role: 'user', content: 'Hello.' }));
    }
    const old = (await sessions.generations(key))[1]?.sessionId ?? '';
    await many.host.sessions.patch(old, { state: 'open' });
    let asked = 0;
    const { list } = store.sessions;
    store.sessions.list = async (query) => {
      if (query?.key === key) asked += 1;
      return list(query);
    };
    const { sessions: listed } = await sessions.list({ state: 'open' });
    expect(listed.map(({ generation }) => generation).sort()).toEqual(['current', 'earlier']);
    expect(asked).toBe(1);
  });
});
