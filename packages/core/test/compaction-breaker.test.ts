import { createHost, definePlugin, type Host, memoryStore, type Plan, type Session, type Store } from '@varve/core';
import { expect, test } from 'vitest';
import { z } from 'zod';

const model = { provider: 'test', model: 'test-1' };

/** Asks for a compaction at every call, and plans ones that cannot be carried out. */
const hopeless = (asked: { times: number }) =>
  definePlugin({
    name: 'hopeless',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: ({ hooks }) => {
      hooks.shouldCompact.tapPromise('always', () => true);
      hooks.compact.tapPromise('plan nothing of use', (request) => {
        asked.times += 1;
        const plan = request.defaultPlan({ keepTokens: 1_000_000 }) as Plan;
        return { ...plan, actions: [], range: { ...plan.range, held: null } };
      });
    },
  })();

async function talk(session: Session, turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    await session.ingest({ role: 'user', content: `Question ${turn}.` });
    await session.ingest({ role: 'assistant', content: `Answer ${turn}.` });
  }
}

const start = (store: Store, asked: { times: number }): Promise<Host> =>
  createHost({ store, plugins: [hopeless(asked)], budget: { inputTokens: 100_000 } });

test('stops asking a strategy that fails again and again, also after a restart, and asks again later', async () => {
  const store = memoryStore();
  const asked = { times: 0 };
  const host = await start(store, asked);
  const session = await host.open('s');
  await talk(session, 4);
  const ends: string[] = [];
  for (let call = 0; call < 5; call += 1) ends.push((await session.compact('threshold', { model })).status);
  expect(ends).toEqual(['irreducible', 'irreducible', 'irreducible', 'blocked', 'blocked']);
  const before = asked.times;
  await host.close();

  await using later = await start(store, asked);
  const reopened = await later.open('s');
  const blocked = await reopened.compact('threshold', { model });
  expect(blocked).toMatchObject({ status: 'blocked', entry: null });
  expect(blocked.why).toContain('3 compactions in a row failed');
  expect(asked.times).toBe(before);
  await talk(reopened, 30);
  await reopened.compact('threshold', { model });
  expect(asked.times).toBeGreaterThan(before);
});

test('never keeps a person from compacting, nor core from making room', async () => {
  const asked = { times: 0 };
  await using host = await start(memoryStore(), asked);
  const session = await host.open('s');
  await talk(session, 4);
  for (let call = 0; call < 4; call += 1) await session.compact('threshold', { model });
  const before = asked.times;
  expect((await session.compact('overflow', { model })).status).not.toBe('blocked');
  expect(asked.times).toBe(before);
  expect((await session.compact('manual', { model })).status).not.toBe('blocked');
  expect(asked.times).toBeGreaterThan(before);
});
