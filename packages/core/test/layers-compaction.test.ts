import { createHost, type Draft, definePlugin, memoryStore, type Plugin, type Prompt, type Session } from '@varve/core';
import { manualClock } from '@varve/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { deferred, entriesOf, say, scriptedModel, settle, user, wordCounter } from './turn/scripted-model.ts';

const model = { provider: 'test', model: 'test-1' };

/** Layers of so many words; `items` of them can be left out one by one. */
interface Wanted {
  readonly words: number;
  readonly items: number;
  readonly role: 'system' | 'user';
  readonly least: number;
}

const textOf = (words: number): string => 'word '.repeat(words);

function layers(wanted: readonly Wanted[], told: { collected: number } = { collected: 0 }): Plugin {
  const add = (draft: Draft, { words, items, role, least }: Wanted, index: number): Draft =>
    draft.addLayer(
      {
        id: `l${index}`,
        role,
        stability: 'session',
        minTokens: Math.min(least, words),
        items: Array.from({ length: items }, () => ({ text: textOf(Math.ceil(words / items)) })),
      },
      'add',
    );
  return definePlugin({
    name: 'layers',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: ({ hooks }) =>
      hooks.collect.tapPromise('add', async (draft) => {
        told.collected += 1;
        return wanted.reduce(add, draft);
      }),
  })();
}

/** Wants a compaction at the limits; what saves something before it takes as long as `saving`. */
const strategy = (saving?: () => Promise<void>): Plugin =>
  definePlugin({
    name: 'strategy',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: ({ hooks }) => {
      hooks.shouldCompact.tapPromise('at the limits', ({ trigger, tokens, budget }) =>
        trigger === 'background' ? tokens > budget.soft : tokens > budget.hard,
      );
      if (saving !== undefined) hooks.beforeCompact.tapPromise('save', saving);
    },
  })();

const cutIn = ({ manifest }: Prompt): number => manifest.entries.filter(({ rule }) => rule === 'window-cut').length;

const openHost = (plugins: readonly Plugin[], inputTokens = 8_000) =>
  createHost({ clock: manualClock(), tokens: wordCounter, plugins, budget: { inputTokens } });

async function fill(session: Session, { turns = 12, words = 500 } = {}): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    await session.ingest(user(`Question ${turn}`));
    await session.ingest({ role: 'assistant', content: `Answer ${turn} ${textOf(words)}` });
  }
}

const system: Wanted = { words: 2_000, items: 1, role: 'system', least: 0 };

const wantedLayers = fc.array(
  fc.record({
    words: fc.integer({ min: 1, max: 3_500 }),
    items: fc.constantFrom(1, 1, 40),
    role: fc.constantFrom('system' as const, 'user' as const),
    least: fc.constantFrom(0, 0, 500),
  }),
  { maxLength: 3 },
);

describe('layers of plugins', () => {
  test('count when a compaction is decided, planned and accepted: no message leaves without a summary', async () => {
    await using host = await openHost([layers([system]), strategy()]);
    const session = await host.open('s');
    await fill(session);
    await session.ingest(user('And now?'));
    const { status, tokensBefore, tokensAfter } = await session.compact('threshold', { model });
    const prompt = await session.assemble({ model });
    expect([status, cutIn(prompt)]).toEqual(['compacted', 0]);
    expect(tokensBefore).toBeGreaterThan(8_000);
    expect(tokensAfter).toBe(prompt.tokens);
    // 2,000 words in a block, and 70 % of what lies between them and 95 % of the budget.
    expect(session.pressure({ model }).budget).toMatchObject({ fixed: 2_006, target: 2_006 + 0.7 * (7_600 - 2_006) });
    expect(prompt.tokens).toBeLessThan(2_006 + 0.75 * (7_600 - 2_006));
  });

  test('of whatever sizes, compact and then assemble: nothing is cut that could have been summarised', async () => {
    await fc.assert(
      fc.asyncProperty(wantedLayers, fc.integer({ min: 10, max: 350 }), async (wanted, words) => {
        await using host = await openHost([layers(wanted), strategy()], 4_000);
        const session = await host.open('s');
        for (let turn = 0; turn < 30; turn += 1) {
          await session.ingest(user(`Question ${turn} ${textOf(turn % 7)}`));
          const { status, why } = await session.compact('threshold', { model });
          const prompt = await session.assemble({ model });
          expect(cutIn(prompt), `turn ${turn}: ${status} ${why}`).toBe(0);
          await session.ingest({ role: 'assistant', content: `Answer ${turn} ${textOf(words)}` });
        }
      }),
      { numRuns: 12 },
    );
  });

  test('of whatever sizes, in turns: nothing is cut, also while a background compaction takes its time', async () => {
    await fc.assert(
      fc.asyncProperty(wantedLayers, fc.integer({ min: 10, max: 350 }), fc.boolean(), async (wanted, words, isSlow) => {
        const saved = deferred<void>();
        if (!isSlow) saved.resolve();
        await using host = await openHost([layers(wanted), strategy(() => saved.promise)], 4_000);
        const session = await host.open('s');
        const { port } = scriptedModel(Array.from({ length: 30 }, () => say(`Answer ${textOf(words)}`)));
        for (let turn = 0; turn < 30; turn += 1) {
          await session.turn({ message: user(`Question ${turn}`), model: port });
          const { changes } = await session.explain();
          expect(
            changes.filter(({ rule }) => rule === 'window-cut'),
            `turn ${turn}`,
          ).toEqual([]);
          await settle();
        }
        saved.resolve();
      }),
      { numRuns: 12 },
    );
  });

  test('that take all the room yield to history, and to the mark at which it is cut', async () => {
    const wanted = { words: 9_000, items: 90, role: 'user', least: 0 } as const;
    await using host = await openHost([layers([wanted]), strategy()]);
    const session = await host.open('s');
    await fill(session, { turns: 6 });
    await session.ingest(user('And now?'));
    expect((await session.compact('threshold', { model })).status).toBe('below-threshold');
    const prompt = await session.assemble({ model });
    expect(cutIn(prompt)).toBe(0);
    expect(prompt.tokens).toBeLessThanOrEqual(0.95 * 8_000);
    expect(prompt.tokens).toBeGreaterThan(7_000);
  });
});

describe('the pressure of a session', () => {
  test('has the layers that were collected last', async () => {
    await using host = await openHost([layers([system])]);
    const session = await host.open('s');
    await session.ingest(user('Hello'));
    const before = session.pressure({ model });
    const { tokens } = await session.assemble({ model });
    const after = session.pressure({ model });
    expect([before.budget.fixed, after.budget.fixed]).toEqual([0, 2_006]);
    expect(after.tokens).toBe(tokens);
  });

  test('has those of the last request when the session is opened again', async () => {
    const store = memoryStore();
    const openAgain = () =>
      createHost({ store, clock: manualClock(), tokens: wordCounter, plugins: [layers([system])] });
    let tokens = 0;
    {
      await using host = await openAgain();
      const session = await host.open('s');
      await session.ingest(user('Hello'));
      ({ tokens } = await session.assemble({ model }));
    }
    await using host = await openAgain();
    const again = (await host.open('s')).pressure({ model });
    const looking = (await host.open('s2', { readOnly: false })).pressure({ model });
    expect([again.tokens, again.budget.fixed, looking.budget.fixed]).toEqual([tokens, 2_006, 0]);
  });
});

test('a turn collects once for a step in which nothing is compacted', async () => {
  const told = { collected: 0 };
  await using host = await openHost([layers([system], told), strategy()]);
  const session = await host.open('s');
  await session.turn({ message: user('Hello'), model: scriptedModel([]).port });
  expect(told.collected).toBe(1);
});

test('what a plugin records while it collects is stored once, with the prompt, and it is asked with the same query', async () => {
  const queries: (string | null)[] = [];
  const plugin = definePlugin({
    name: 'recorder',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: ({ hooks }) =>
      hooks.collect.tapPromise('record', async (_, { query, record }) => {
        queries.push(query);
        record('asked', { query });
      }),
  })();
  await using host = await openHost([plugin, strategy()]);
  const session = await host.open('s');
  await session.compact('threshold', { model, query: 'Where?' });
  expect(session.view.lastRecord('asked')).toBeUndefined();
  await session.turn({ message: user('Hello'), model: scriptedModel([]).port });
  const records = (await entriesOf(session)).filter(({ type }) => type === 'recorder:asked');
  expect(records.map((entry) => 'data' in entry && entry.data)).toEqual([{ query: 'Hello' }]);
  expect(queries).toEqual(['Where?', 'Hello']);
});
