import { memoryStore, type Tool } from '@varve/core';
import { describe, expect, it } from 'vitest';
import { entriesOf, heldModel, say, scriptedPort, setStage, settle, textsOf } from './stage.ts';

const key = 'agent:main:main';

describe('a reset', () => {
  it('begins a generation that names the one before, and puts that away', async () => {
    await using stage = await setStage();
    const { sessions, store } = stage;
    const old = await say(sessions, key, 'before');
    const result = await sessions.reset(key, { reason: 'new', by: 'owner' });
    expect(result).toEqual({ sessionId: expect.any(String), previousSessionId: old, isReset: true });
    expect(await say(sessions, key, 'after')).toBe(result.sessionId);
    expect(await sessions.generations(key)).toMatchObject([
      { sessionId: result.sessionId, state: 'open', previousSessionId: old },
      { sessionId: old, state: 'archived', previousSessionId: null },
    ]);
    expect(await textsOf(store, old)).toEqual(['before']);
    expect(await textsOf(store, result.sessionId)).toEqual(['after']);
  });

  it('stores what is carried over before anything else can be stored', async () => {
    await using stage = await setStage();
    const { sessions, store } = stage;
    await sessions.use(key, async (session) => {
      await session.set('send', { mode: 'deny', until: null, at: null });
      await session.set('model', 'test/large');
      await session.setState('plan', 'Pack the bags.');
    });
    const { sessionId } = await sessions.reset(key, { reason: 'new', settings: { model: 'test/small' } });
    await say(sessions, key, 'after');
    const said = (await entriesOf(store, sessionId)).map((entry) =>
      entry.type === 'setting' ? `${entry.name} ${JSON.stringify(entry.value)}` : entry.type,
    );
    expect(said).toEqual(['send {"mode":"deny","until":null,"at":null}', 'model "test/small"', 'message']);
  });

  it('is newer than the generation before, also when the clock jumps back', async () => {
    await using stage = await setStage();
    const { sessions, clock } = stage;
    clock.advance(1_000_000);
    await say(sessions, key, 'before');
    clock.advance(-2_000_000);
    const { sessionId } = await sessions.reset(key, { reason: 'new' });
    expect((await sessions.current(key))?.sessionId).toBe(sessionId);
    expect(await say(sessions, key, 'after')).toBe(sessionId);
  });

  it('aborts the turn that runs when somebody asked for it, and takes what comes later into the new generation', async () => {
    await using stage = await setStage();
    const { sessions } = stage;
    const { port, asked } = heldModel();
    const turning = sessions.use(key, (session) =>
      session.turn({ message: { role: 'user', content: 'Long work.' }, model: port }),
    );
    await asked;
    const resetting = sessions.reset(key, { reason: 'new' });
    const later = say(sessions, key, 'later');
    expect(await turning).toMatchObject({ status: 'aborted' });
    expect(await later).toBe((await resetting).sessionId);
  });

  it('waits for the turn that runs when nobody asked for it, and is asked again then', async () => {
    await using stage = await setStage();
    const { sessions } = stage;
    const { port, asked, answer } = heldModel();
    const turning = sessions.use(key, (session) =>
      session.turn({ message: { role: 'user', content: 'Long work.' }, model: port }),
    );
    await asked;
    const confirmed: number[] = [];
    const resets = [false, true].map((isDue) =>
      sessions.reset(key, {
        reason: 'daily',
        kind: 'implicit',
        confirm: async (session) => confirmed.push(session.info().counters.messages) > 0 && isDue,
      }),
    );
    await settle();
    expect(confirmed).toEqual([]);
    answer();
    const { status } = await turning;
    const [refused, done] = await Promise.all(resets);
    expect(status).toBe('answered');
    expect(confirmed).toEqual([2, 2]);
    expect(refused).toMatchObject({ isReset: false, previousSessionId: null });
    expect(done).toMatchObject({ isReset: true, previousSessionId: refused?.sessionId });
  });

  it('waits for a turn whose tools use the same conversation', async () => {
    await using stage = await setStage();
    const { sessions } = stage;
    const old = await say(sessions, key, 'before');
    let resetting: Promise<unknown> = Promise.resolve();
    const looks: Tool = {
      name: 'look',
      description: 'Looks at the conversation.',
      inputSchema: { type: 'object' },
      execute: async () => {
        resetting = sessions.reset(key, { reason: 'daily', kind: 'implicit' });
        await settle();
        await sessions.deliver(key, { kind: 'typing' });
        const value = await sessions.join(key, async ({ sessionId }) => sessionId);
        return { type: 'text', value };
      },
    };
    const port = scriptedPort([
      [{ type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: {} }],
      [{ type: 'text', text: 'Done.' }],
    ]);
    const { status, steps } = await sessions.use(key, (session) =>
      session.turn({ message: { role: 'user', content: 'Look.' }, model: port, tools: [looks] }),
    );
    expect([status, steps[0]?.toolCalls.length]).toEqual(['answered', 1]);
    expect(await resetting).toMatchObject({ isReset: true, previousSessionId: old });
  });

  it('leaves the generation before as it was when the new one cannot be begun', async () => {
    const store = memoryStore();
    let isFull = false;
    const full: typeof store = {
      ...store,
      open: async (sessionId, options) => {
        const journal = await store.open(sessionId, options);
        const append: typeof journal.append = async (entries, conditions) => {
          if (isFull) throw new Error('The disk is full.');
          return journal.append(entries, conditions);
        };
        return { ...journal, append };
      },
    };
    await using stage = await setStage({ store: full });
    const { sessions } = stage;
    const old = await say(sessions, key, 'before');
    await sessions.use(key, (session) => session.set('send', 'off'));
    isFull = true;
    await expect(sessions.reset(key, { reason: 'new' })).rejects.toThrow('The disk is full.');
    isFull = false;
    expect(await say(sessions, key, 'after')).toBe(old);
  });

  it('refuses to be given security settings', async () => {
    await using stage = await setStage();
    for (const name of ['send', 'incognito']) {
      const settings = { [name]: null };
      await expect(stage.sessions.reset(key, { reason: 'new', settings })).rejects.toMatchObject({
        code: 'VARVE_OPTION_INVALID',
        details: { path: `settings.${name}` },
      });
    }
  });
});
