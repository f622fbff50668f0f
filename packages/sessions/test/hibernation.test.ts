import { definePlugin, memoryStore, type Store } from '@varve/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { heldModel, say, setStage, settle, textsOf } from './stage.ts';
import { gate } from './talk.ts';

const keyOf = (peer: string | number): string => `agent:main:direct:${peer}`;

/** A store that counts the journals that are open for writing. */
function countingStore(): { readonly store: Store; open(): number; mostOpen(): number } {
  const inner = memoryStore();
  let open = 0;
  let most = 0;
  return {
    open: () => open,
    mostOpen: () => most,
    store: {
      ...inner,
      open: async (sessionId, options) => {
        const journal = await inner.open(sessionId, options);
        if (options?.readOnly === true) return journal;
        open += 1;
        most = Math.max(most, open);
        let isOpen = true;
        return {
          ...journal,
          close: async () => {
            await journal.close();
            if (isOpen) open -= 1;
            isOpen = false;
          },
        };
      },
    },
  };
}

describe('conversations that are awake', () => {
  it('are as many as are allowed: the longest unused one goes to sleep first, and wakes with all it knew', async () => {
    const counting = countingStore();
    await using stage = await setStage({ store: counting.store, sessions: { live: { maxSessions: 3 } } });
    const { sessions, told } = stage;
    for (const peer of [1, 2, 3, 4, 1, 5]) await say(sessions, keyOf(peer), `from ${peer}`);
    await settle();
    expect(sessions.states().map(({ keyText }) => keyText)).toEqual([keyOf(4), keyOf(1), keyOf(5)]);
    expect(counting.mostOpen()).toBe(3);
    expect(told.filter((name) => name === 'session-hibernated: room')).toHaveLength(3);
    const told1 = await sessions.use(keyOf(1), async (session) =>
      session.view.messages().map(({ message }) => message),
    );
    expect(told1).toEqual(Array(2).fill({ role: 'user', content: 'from 1' }));
  });

  it('hold about as much memory as is allowed', async () => {
    await using stage = await setStage({ sessions: { live: { maxBytes: 300_000 } } });
    const { sessions } = stage;
    for (const peer of [1, 2, 3, 4]) await say(sessions, keyOf(peer), 'x'.repeat(40_000));
    await settle();
    const states = sessions.states();
    expect(states.map(({ keyText }) => keyText)).toEqual([keyOf(3), keyOf(4)]);
    expect(states[0]?.heldBytes).toBeGreaterThan(80_000);
    expect(states[0]?.heldBytes).toBeLessThan(150_000);
  });

  it('go to sleep when nobody has used them for long enough, and not before', async () => {
    await using stage = await setStage({ sessions: { live: { idleMs: 1_000 } } });
    const { sessions, clock, told } = stage;
    await say(sessions, keyOf(1), 'a');
    clock.advance(600);
    await say(sessions, keyOf(2), 'b');
    clock.advance(400);
    await settle();
    expect(sessions.states().map(({ keyText }) => keyText)).toEqual([keyOf(2)]);
    await say(sessions, keyOf(2), 'c');
    clock.advance(999);
    await settle();
    expect(sessions.states()).toHaveLength(1);
    clock.advance(1);
    await settle();
    expect(sessions.states()).toEqual([]);
    expect(told.filter((name) => name === 'session-hibernated: idle')).toHaveLength(2);
  });

  it('stay awake while a turn runs, however little room there is and however long it takes', async () => {
    await using stage = await setStage({ sessions: { live: { maxSessions: 1, idleMs: 10 } } });
    const { sessions, clock } = stage;
    const { port, asked, answer } = heldModel();
    const turning = sessions.use(keyOf(1), (session) =>
      session.turn({ message: { role: 'user', content: 'Long work.' }, model: port }),
    );
    await asked;
    await say(sessions, keyOf(2), 'meanwhile');
    clock.advance(1_000);
    await settle();
    expect(await sessions.hibernate(keyOf(1))).toBe(false);
    expect(sessions.states()).toMatchObject([{ keyText: keyOf(1), state: 'active' }]);
    answer();
    expect(await turning).toMatchObject({ status: 'answered' });
    clock.advance(10);
    await settle();
    expect(sessions.states()).toEqual([]);
  });

  it('stay awake while a compaction runs that nobody waits for', async () => {
    const [asked, held] = [gate(), gate()];
    const slow = definePlugin({
      name: 'slow',
      version: '1.0.0',
      apiVersion: '^1.0.0',
      options: z.strictObject({}),
      apply: ({ hooks }) => {
        hooks.compact.tapPromise('slow', async () => {
          asked.open();
          await held.opened;
          return undefined;
        });
      },
    });
    await using stage = await setStage({ host: { plugins: [slow({})] }, sessions: { live: { idleMs: 10 } } });
    const { sessions, clock } = stage;
    await sessions.use(keyOf(1), async (session) => {
      for (const content of ['a', 'b', 'c']) await session.ingest({ role: 'user', content });
      void session.compact('manual', { model: { provider: 'test', model: 'held' } }).catch(() => undefined);
    });
    await asked.opened;
    clock.advance(20);
    await settle();
    expect(await sessions.hibernate(keyOf(1))).toBe(false);
    expect(sessions.states()).toMatchObject([{ state: 'compacting' }]);
    held.open();
    await settle();
    clock.advance(20);
    await settle();
    expect(sessions.states()).toEqual([]);
  });

  it('are found again by who comes while they fall asleep', async () => {
    const counting = countingStore();
    await using stage = await setStage({ store: counting.store });
    const { sessions, store } = stage;
    const id = await say(sessions, keyOf(1), 'a');
    const [isAsleep, same] = await Promise.all([sessions.hibernate(keyOf(1)), say(sessions, keyOf(1), 'b')]);
    expect([isAsleep, same]).toEqual([true, id]);
    expect(await textsOf(store, id)).toEqual(['a', 'b']);
    expect(counting.open()).toBe(1);
    expect(await sessions.hibernate(keyOf(2))).toBe(false);
  });

  it('are closed together, and leave no journal open', async () => {
    const counting = countingStore();
    {
      await using stage = await setStage({ store: counting.store });
      await Promise.all([1, 2, 3].map((peer) => say(stage.sessions, keyOf(peer), 'a')));
      expect(counting.open()).toBe(3);
      await stage.sessions.close();
      expect(counting.open()).toBe(0);
    }
    expect(counting.open()).toBe(0);
  });
});
