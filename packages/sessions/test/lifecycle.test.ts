import { memoryStore } from '@varve/core';
import { createSessions, type SessionsOptions } from '@varve/sessions';
import { describe, expect, it } from 'vitest';
import { heldModel, say, setStage, settle, textsOf } from './stage.ts';

const key = 'agent:main:main';

describe('a conversation', () => {
  it('begins with the first who uses it, under its key, and is the current generation before anything is said', async () => {
    await using stage = await setStage();
    const { sessions, clock } = stage;
    expect(await sessions.current(key)).toBeNull();
    const names = { label: 'Home', identity: 'alice', settings: { verbose: true } };
    const found = await sessions.use(
      key,
      async (session) => ({
        current: (await sessions.current(key))?.sessionId,
        settings: session.view.settings,
        own: session.sessionId,
      }),
      names,
    );
    expect(found).toEqual({ current: found.own, own: found.own, settings: { verbose: true } });
    expect(await sessions.current(key)).toMatchObject({ label: 'Home', identity: 'alice', currentSince: clock.now() });
  });

  it('is one session for all who come at once', async () => {
    await using stage = await setStage();
    const ids = await Promise.all(['a', 'b', 'c'].map((text) => say(stage.sessions, key, text)));
    expect(new Set(ids).size).toBe(1);
    expect(await textsOf(stage.store, ids[0] ?? '')).toEqual(['a', 'b', 'c']);
  });

  it('never takes somebody for one person after others have taken part, awake or asleep', async () => {
    await using stage = await setStage();
    const { sessions } = stage;
    const use = (identity: string | null): Promise<unknown> =>
      sessions.use(key, async (session) => session.view.identity, { identity, chatType: 'direct' });
    expect(await use('alice')).toBe('alice');
    expect(await use('bob')).toBeNull();
    expect(await use('alice')).toBeNull();
    const other = 'agent:main:telegram:direct:1';
    const useOther = (identity: string | null): Promise<unknown> =>
      sessions.use(other, async (session) => session.view.identity, { identity });
    expect(await useOther('alice')).toBe('alice');
    expect(await sessions.hibernate(other)).toBe(true);
    expect(await useOther('bob')).toBeNull();
  });

  it('tells of each change of its state', async () => {
    await using stage = await setStage();
    const { sessions, told } = stage;
    await say(sessions, key, 'a');
    await sessions.hibernate(key);
    await say(sessions, key, 'b');
    await sessions.reset(key, { reason: 'new' });
    await sessions.archive(key);
    await settle();
    expect(told).toEqual([
      ...['session-created', 'session-activated', 'session-rested', 'session-hibernated: asked'],
      ...['session-woken', 'session-activated', 'session-rested'],
      ...['session-created', 'session-archived: reset', 'session-reset: new'],
      'session-archived: asked',
    ]);
  });

  it('goes on in the generation that another host has begun meanwhile', async () => {
    const store = memoryStore();
    await using here = await setStage({ store });
    await using there = await setStage({ store });
    const old = await say(here.sessions, key, 'here');
    const { sessionId } = await there.sessions.reset(key, { reason: 'new' });
    expect(await say(here.sessions, key, 'here again')).toBe(sessionId);
    expect(await textsOf(store, old)).toEqual(['here']);
  });
});

describe('a return to an earlier generation', () => {
  it('lets that one go on, with what the last one said of security', async () => {
    await using stage = await setStage();
    const { sessions, store } = stage;
    const first = await say(sessions, key, 'first');
    const { sessionId: second } = await sessions.reset(key, { reason: 'new' });
    await sessions.use(key, (session) => session.set('send', 'off'));
    expect(await sessions.restore(key, first)).toEqual({ sessionId: first, previousSessionId: second });
    expect(await sessions.use(key, async (session) => session.view.settings)).toEqual({ send: 'off' });
    await say(sessions, key, 'again');
    expect(await textsOf(store, first)).toEqual(['first', 'again']);
    const states = (await sessions.generations(key)).map(({ sessionId, state }) => [sessionId, state]);
    expect(states).toEqual([
      [first, 'open'],
      [second, 'archived'],
    ]);
  });

  it('changes nothing for the one that goes on, and refuses sessions of other keys', async () => {
    await using stage = await setStage();
    const { sessions } = stage;
    const own = await say(sessions, key, 'mine');
    const other = await say(sessions, 'agent:main:direct:bob', 'his');
    expect(await sessions.restore(key, own)).toEqual({ sessionId: own, previousSessionId: null });
    for (const id of [other, 'no-such-session']) {
      await expect(sessions.restore(key, id)).rejects.toMatchObject({ code: 'VARVE_SESSION_UNKNOWN' });
      await expect(sessions.archive(key, { sessionId: id })).rejects.toMatchObject({ code: 'VARVE_SESSION_UNKNOWN' });
    }
    expect((await sessions.current(key))?.sessionId).toBe(own);
  });
});

describe('a conversation that is put away', () => {
  it('begins anew with what is said next, and is as discreet as it was', async () => {
    await using stage = await setStage();
    const { sessions } = stage;
    const old = await say(sessions, key, 'before');
    await sessions.use(key, async (session) => {
      await session.set('send', 'off');
      await session.set('incognito', true);
    });
    expect(await sessions.archive(key)).toEqual({ sessionId: old });
    expect(await sessions.current(key)).toBeNull();
    expect(await sessions.archive(key)).toEqual({ sessionId: null });
    const fresh = await sessions.use(key, async (session) => ({ ...session.view.settings, id: session.sessionId }));
    expect(fresh).toEqual({ send: 'off', incognito: true, id: expect.not.stringMatching(old) });
    expect((await sessions.current(key))?.previousSessionId).toBe(old);
  });

  it('says so when the journal of its last generation is gone', async () => {
    const store = memoryStore();
    await using stage = await setStage({
      store: { ...store, open: (id, how) => store.open(id === 'gone' ? 'away' : id, how) },
    });
    await store.sessions.put('gone', { key, currentSince: 1, state: 'archived' }, { expectedRev: 0 });
    await say(stage.sessions, key, 'a');
    await settle();
    expect(stage.told).toContain(
      'warning: The journal of the last generation is gone: nothing of its settings could be carried over.',
    );
  });
});

describe('an abort', () => {
  it('ends the turn and leaves the conversation as it is', async () => {
    await using stage = await setStage();
    const { sessions } = stage;
    expect(sessions.abort(key)).toBe(false);
    const { port, asked } = heldModel();
    const turning = sessions.use(key, (session) =>
      session.turn({ message: { role: 'user', content: 'Long work.' }, model: port }),
    );
    await asked;
    expect(sessions.abort(key, 'The owner said stop.')).toBe(true);
    const { status } = await turning;
    expect(status).toBe('aborted');
    expect(sessions.abort(key)).toBe(false);
    expect(sessions.states()).toMatchObject([{ keyText: key, state: 'idle' }]);
  });
});

describe('closing', () => {
  it('aborts what runs, refuses what comes later, and leaves the host open', async () => {
    await using stage = await setStage();
    const { sessions, host } = stage;
    const { port, asked } = heldModel();
    const turning = sessions.use(key, (session) =>
      session.turn({ message: { role: 'user', content: 'Long work.' }, model: port }),
    );
    await asked;
    const waiting = sessions.reset(key, { reason: 'daily', kind: 'implicit' }).catch((error: unknown) => error);
    await sessions.close();
    expect(await turning).toMatchObject({ status: 'aborted' });
    expect(await waiting).toMatchObject({ code: 'VARVE_SESSION_CLOSED' });
    await expect(say(sessions, key, 'late')).rejects.toMatchObject({ code: 'VARVE_SESSION_CLOSED' });
    expect(sessions.states()).toEqual([]);
    await (await host.open('another')).ingest({ role: 'user', content: 'still open' });
  });
});

describe('the options', () => {
  it.each([
    ['host.open', { host: {} }],
    ['host.clock', { host: { open: () => null, sessions: { list: () => [] } } }],
    ['live.maxSessions', { live: { maxSessions: 0 } }],
    ['live.idleMs', { live: { idleMs: Number.NaN } }],
    ['models.port', { models: { defaultModel: 'a/b' } }],
    ['carryOver.settings.model', { carryOver: { settings: { model: 'sometimes' } } }],
    ['carryOver.settings.send', { carryOver: { settings: { send: 'never' } } }],
    ['', { hots: true }],
  ])('are refused where "%s" is wrong', async (path, wrong) => {
    await using stage = await setStage();
    const { host } = stage;
    const make = (): unknown => createSessions({ host, ...wrong } as unknown as SessionsOptions);
    const named = expect.objectContaining({ path });
    expect(make).toThrow(expect.objectContaining({ code: 'VARVE_OPTION_INVALID', details: named }));
    if (path === '') expect(make).toThrow('hots');
  });
});
