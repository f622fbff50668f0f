import {
  createHost,
  createTokenCounter,
  definePlugin,
  fold,
  type Host,
  type Journal,
  memoryStore,
  type Session,
  type Usage,
} from '@varve/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

const model = { provider: 'acme', model: 'large' };
const other = { provider: 'acme', model: 'small' };

/** A token a character, so that tests can say how large something is. */
const tokens = createTokenCounter('characters', (text) => text.length);

async function openSession(options: Parameters<typeof createHost>[0] = {}): Promise<{ host: Host; session: Session }> {
  const host = await createHost({ tokens, ...options });
  return { host, session: await host.open('s') };
}

interface Exchange {
  readonly words?: number;
  /** Reported tokens for each counted one. */
  readonly ratio?: number;
  readonly usage?: Usage;
  readonly asked?: typeof model;
}

/** Says something, makes the prompt, and stores an answer with what the provider reports. */
async function exchange(session: Session, { words = 1_000, ratio = 1, usage, asked = model }: Exchange): Promise<void> {
  await session.ingest({ role: 'user', content: 'w'.repeat(words) });
  const prompt = await session.assemble({ model: asked });
  const reported = usage ?? { inputTokens: Math.round(prompt.tokens * ratio), outputTokens: 1 };
  await session.ingest({ role: 'assistant', content: 'ok' }, { usage: reported });
}

const factorOf = (session: Session, asked = model): number => session.pressure({ model: asked }).budget.factor;

describe('what a provider reports', () => {
  test('makes the budget smaller where it bills more than was counted, and is told with the request', async () => {
    const { session } = await openSession();
    await exchange(session, { ratio: 1.3 });
    const { budget } = session.pressure({ model });
    expect([budget.factor, budget.input]).toEqual([1.3, Math.floor(160_000 / 1.3)]);
    await session.assemble({ model });
    expect((await session.explain()).factor).toBe(1.3);
    expect((await session.explain({ request: 1 })).factor).toBe(1);
  });

  test('makes it larger where it bills less, and counts what came from and went to a cache', async () => {
    const { session } = await openSession();
    const usage = { inputTokens: 300, cacheReadTokens: 300, cacheWriteTokens: 250, outputTokens: 1 };
    await exchange(session, { words: 996, usage });
    expect(factorOf(session)).toBe(0.85);
  });

  test('counts against the whole request: prompt, tools, and what the host sends besides', async () => {
    const { session } = await openSession({ budget: { reservedTokens: 2_000 } });
    const tools = [{ name: 'read', description: 'd'.repeat(2_000) }];
    await session.ingest({ role: 'user', content: 'w'.repeat(1_000) });
    const prompt = await session.assemble({ model, tools });
    const sent = prompt.tokens + 2_000 + JSON.stringify(tools).length;
    await session.ingest({ role: 'assistant', content: 'ok' }, { usage: { inputTokens: sent, outputTokens: 1 } });
    expect(factorOf(session)).toBe(1);
  });

  test.each([
    ['three times', 3, 2],
    ['half', 0.6, 0.8],
  ])('is believed up to a bound: %s of what was counted', async (_, ratio, factor) => {
    const { session } = await openSession();
    for (let turn = 0; turn < 5; turn += 1) await exchange(session, { ratio });
    expect(factorOf(session)).toBe(factor);
  });

  test('is smoothed, and small differences move nothing', async () => {
    const { session } = await openSession();
    for (const ratio of [1.04, 0.97, 1.05, 1.01]) await exchange(session, { ratio });
    expect(factorOf(session)).toBe(1);
    await exchange(session, { ratio: 1.6 });
    expect(factorOf(session)).toBeGreaterThan(1.1);
    expect(factorOf(session)).toBeLessThan(1.3);
  });

  test('R-26: of 1,000 Han characters comes to what their provider bills', async () => {
    const host = await createHost();
    const session = await host.open('s');
    const bill = (text: string): number => Math.round(text.length * 1.25);
    const text = '汉'.repeat(1_000);
    const { tokens: entry } = await session.ingest({ role: 'user', content: text });
    expect(entry.n).toBeGreaterThanOrEqual(700);
    expect(entry.n).toBeLessThanOrEqual(1_300);
    for (let turn = 1; turn <= 6; turn += 1) {
      await session.assemble({ model });
      await session.ingest(
        { role: 'assistant', content: '好' },
        { usage: { inputTokens: bill(text) * turn, outputTokens: 1 } },
      );
      await session.ingest({ role: 'user', content: text });
    }
    const { tokens: counted, budget } = session.pressure({ model });
    const real = bill(text) * 7;
    expect(Math.abs(counted * budget.factor - real) / real).toBeLessThan(0.06);
  });
});

describe('a report says nothing', () => {
  test.each<[string, Exchange]>([
    ['of a prompt of less than 500 tokens', { words: 400, ratio: 1.5 }],
    ['when it is above the window', { words: 60_000, ratio: 3.5 }],
    ['when it is four times what was counted and more', { ratio: 5 }],
    ['when it leaves out what came from a cache', { ratio: 0.01 }],
    ['when it is nothing', { usage: { inputTokens: 0, outputTokens: 0 } }],
  ])('%s', async (_, given) => {
    const { session } = await openSession();
    await exchange(session, given);
    expect(factorOf(session)).toBe(1);
  });

  test('when it jumps by far more than was appended', async () => {
    const { session } = await openSession();
    await exchange(session, { words: 20_000 });
    await exchange(session, { words: 100, ratio: 1.9 });
    expect(factorOf(session)).toBe(1);
  });

  test('when it answers no request, or another answer did already', async () => {
    const { session } = await openSession();
    const usage = { inputTokens: 2_000, outputTokens: 1 };
    await session.ingest({ role: 'user', content: 'w'.repeat(1_000) });
    await session.ingest({ role: 'assistant', content: 'ok' }, { usage });
    expect(factorOf(session)).toBe(1);
    await exchange(session, {});
    await session.ingest({ role: 'assistant', content: 'ok' }, { usage: { ...usage, inputTokens: 4_000 } });
    expect(factorOf(session)).toBe(1);
  });

  test('of another model, even when that one is asked again', async () => {
    const { session } = await openSession();
    await exchange(session, { ratio: 1.5 });
    expect([factorOf(session), factorOf(session, other)]).toEqual([1.5, 1]);
    await exchange(session, { asked: other });
    expect([factorOf(session), factorOf(session, other)]).toEqual([1, 1]);
  });

  test('when a compaction came between the request and its answer', async () => {
    const { session } = await openSession();
    for (let turn = 0; turn < 4; turn += 1) await exchange(session, {});
    await session.ingest({ role: 'user', content: 'w'.repeat(1_000) });
    const prompt = await session.assemble({ model });
    expect((await session.compact('manual', { model })).status).toBe('compacted');
    const usage = { inputTokens: Math.round(prompt.tokens * 1.8), outputTokens: 1 };
    await session.ingest({ role: 'assistant', content: 'ok' }, { usage });
    expect(factorOf(session)).toBe(1);
  });

  test('that came before a compaction: all begins anew with it', async () => {
    const { session } = await openSession();
    for (let turn = 0; turn < 4; turn += 1) await exchange(session, { ratio: 1.5 });
    expect(factorOf(session)).toBe(1.5);
    expect((await session.compact('manual', { model })).status).toBe('compacted');
    expect(factorOf(session)).toBe(1);
    await exchange(session, { ratio: 1.2 });
    expect(factorOf(session)).toBe(1.2);
  });

  test('when an edit was taken back meanwhile; the edits of its own request do not count as such', async () => {
    const { session } = await openSession({ plugins: [shorten()] });
    await exchange(session, { words: 2_000, ratio: 1.5 });
    await exchange(session, { words: 2_000, ratio: 1.5 });
    expect(factorOf(session)).toBe(1.5);
    await session.ingest({ role: 'user', content: 'w'.repeat(1_000) });
    const prompt = await session.assemble({ model });
    let editId = '';
    for await (const entry of session.read()) if (entry.type === 'edit') editId = entry.id;
    await session.undo(editId);
    await session.ingest(
      { role: 'assistant', content: 'ok' },
      { usage: { inputTokens: Math.round(prompt.tokens * 0.8), outputTokens: 1 } },
    );
    expect(factorOf(session)).toBe(1.5);
  });
});

/** Shortens what is old for good, so that requests commit edits. */
const shorten = definePlugin({
  name: 'shorten',
  version: '1.0.0',
  apiVersion: '^1.0.0',
  options: z.strictObject({}),
  apply: ({ hooks }) => {
    hooks.shape.tapPromise('cut', (draft) =>
      draft.edit(({ text }) => (text.length > 1_500 ? text.slice(0, 1_400) : undefined), { rule: 'cut', sticky: true }),
    );
  },
});

test('R-02: a report that is older than the last compaction triggers none', async () => {
  const dueAtHard = definePlugin({
    name: 'due-at-hard',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: ({ hooks }) => {
      hooks.shouldCompact.tapPromise('hard', ({ level }) =>
        level === 'hard' || level === 'overflow' ? true : undefined,
      );
    },
  });
  const { session } = await openSession({
    budget: { contextTokens: 200_000, outputReserveRatio: 0.1 },
    plugins: [dueAtHard()],
  });
  for (let turn = 0; turn < 17; turn += 1) await exchange(session, { words: 10_000 });
  const usage = { inputTokens: 297, cacheReadTokens: 184_000, outputTokens: 1 };
  await exchange(session, { words: 10_000, usage });
  expect((await session.compact('threshold', { model })).status).toBe('compacted');
  await session.record('host:housekeeping', { done: true });
  await session.ingest({ role: 'user', content: 'And now?' });
  expect(session.pressure({ model }).level).toBe('none');
  expect((await session.compact('threshold', { model })).status).toBe('below-threshold');
});

describe('calibration is a fold', () => {
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ ratio: fc.double({ min: 0.4, max: 4.5, noNaN: true }), words: fc.nat(3_000) }),
    },
    { weight: 1, arbitrary: fc.constantFrom('compact' as const, 'switch' as const, 'reopen' as const) },
  );

  test('that gives the same from the tail as from the whole journal, and stays within its bounds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
        const store = memoryStore();
        let { host, session } = await openSession({ store });
        let asked = model;
        for (const one of steps) {
          if (one === 'compact') await session.compact('manual', { model: asked });
          else if (one === 'switch') asked = asked === model ? other : model;
          else if (one === 'reopen') {
            await host.close();
            ({ host, session } = await openSession({ store }));
          } else await exchange(session, { ...one, asked });
          const factor = factorOf(session, asked);
          expect(factor).toBeGreaterThanOrEqual(0.8);
          expect(factor).toBeLessThanOrEqual(2);
        }
        const before = session.pressure({ model: asked }).budget;
        await host.close();
        const journal = await store.open('s');
        expect(fold(await journal.tail()).state.calibration).toEqual(fold(await whole(journal)).state.calibration);
        await journal.close();
        ({ host, session } = await openSession({ store }));
        expect(session.pressure({ model: asked }).budget).toEqual(before);
        await host.close();
      }),
      { numRuns: 40 },
    );
  });
});

async function whole(journal: Journal): ReturnType<Journal['tail']> {
  const entries = [];
  for await (const entry of journal.read()) entries.push(entry);
  return { checkpoint: null, entries };
}
