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
  const known = { failures: 3, lowYields: 0, isBlocked: true, why: expect.stringMatching(/./) };
  expect(session.health()).toMatchObject({ ok: false, findings: [], compaction: known });
  await host.close();

  await using later = await start(store, asked);
  const looking = await later.open('s', { readOnly: true });
  expect(looking.health()).toMatchObject({ ok: false, compaction: { ...known, entriesToProbe: 49 } });
  await looking.close();
  const reopened = await later.open('s');
  const blocked = await reopened.compact('threshold', { model });
  expect(blocked).toMatchObject({ status: 'blocked', entry: null });
  expect(blocked.why).toContain('3 compactions in a row failed');
  expect(asked.times).toBe(before);
  await talk(reopened, 30);
  expect(reopened.health().compaction).toMatchObject({ failures: 3, isBlocked: false, entriesToProbe: 0 });
  await reopened.compact('threshold', { model });
  expect(asked.times).toBeGreaterThan(before);
});

test('has nothing to say against the health of a session that was never compacted', async () => {
  await using host = await start(memoryStore(), { times: 0 });
  const session = await host.open('s');
  const none = { failures: 0, lowYields: 0, isBlocked: false, entriesToProbe: 0, why: '' };
  expect(session.health()).toEqual({ ok: true, findings: [], compaction: none });
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

test('tells how a compaction ended though that cannot be noted', async () => {
  const inner = memoryStore();
  let isBroken = false;
  const store: Store = {
    ...inner,
    open: async (sessionId, options) => {
      const journal = await inner.open(sessionId, options);
      return {
        ...journal,
        append: async (entries, given) => {
          if (isBroken && entries.some(({ type }) => type.startsWith('core:'))) throw new Error('The disk is full.');
          return journal.append(entries, given);
        },
      };
    },
  };
  const asked = { times: 0 };
  await using host = await start(store, asked);
  const warnings: string[] = [];
  host.events.on('warning', ({ text }) => warnings.push(text));
  const session = await host.open('s');
  for (let turn = 0; turn < 8; turn += 1) {
    await session.ingest({ role: 'user', content: `Question ${turn}. ${'clay '.repeat(400)}` });
    await session.ingest({ role: 'assistant', content: `Answer ${turn}.` });
  }
  expect((await session.compact('threshold', { model })).status).toBe('irreducible');
  isBroken = true;
  const outcome = await session.compact('manual', { model });
  expect(outcome).toMatchObject({ status: 'compacted' });
  expect(session.view.compaction()?.id).toBe(outcome.entry?.id);
  expect(warnings).toEqual([expect.stringContaining('The disk is full.')]);
});
