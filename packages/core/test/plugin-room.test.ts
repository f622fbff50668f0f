import {
  type ContextEngine,
  createHost,
  type Draft,
  definePlugin,
  type Message,
  type Plugin,
  VarveError,
} from '@varve/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

const model = { provider: 'test', model: 'test-1' };
const user = (content: string): Message => ({ role: 'user', content });

type DraftHook = 'collect' | 'shape' | 'fit';

function plugin(name: string, hook: DraftHook | 'assemble', change: (draft: Draft) => Draft): Plugin {
  return definePlugin({
    name,
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: ({ hooks, registerEngine }) => {
      if (hook !== 'assemble') hooks[hook].tapPromise('change', (draft) => change(draft));
      const engine: ContextEngine = {
        info: { id: name, name, version: '1.0.0' },
        ingest: async () => ({ ingested: true }),
        assemble: async ({ draft }) => change(draft),
        compact: async ({ defaultPlan }) => defaultPlan(),
      };
      if (hook === 'assemble') registerEngine('own', () => engine);
    },
  })();
}

const layer = (id: string, words: number, more: { minTokens?: number; priority?: number } = {}) => {
  const items = Array.from({ length: Math.ceil(words / 50) }, () => ({ text: 'word '.repeat(Math.min(50, words)) }));
  return { id, role: 'user', stability: 'session', items, ...more } as const;
};

const talk: readonly Message[] = [
  user(`First. ${'silt '.repeat(100)}`),
  { role: 'assistant', content: `Answer. ${'silt '.repeat(100)}` },
  user(`The newest question. ${'clay '.repeat(60)}`),
];

describe.each(['shape', 'fit'] as const)('in %s', (hook) => {
  test('a layer for which there is no room is left out, and the tap that added it is named', async () => {
    const greedy = plugin('greedy', hook, (draft) => draft.addLayer(layer('huge', 2_000), 'add'));
    await using host = await createHost({ budget: { inputTokens: 600 }, plugins: [greedy] });
    const session = await host.open('s');
    for (const message of talk) await session.ingest(message);
    const { manifest, messages } = await session.assemble({ model });
    expect(manifest.layers).toEqual([]);
    expect(messages.at(-1)).toEqual(talk.at(-1));
    expect(session.health().findings).toMatchObject([
      { name: 'greedy', where: `${hook}: change`, lastCode: 'VARVE_BUDGET_IMPOSSIBLE' },
    ]);
  });
});

describe('in collect', () => {
  test('of layers whose least does not fit, those of the lowest priority are left out and named', async () => {
    const plugins = ['low', 'high'].map((name, priority) =>
      plugin(name, 'collect', (draft) => draft.addLayer(layer(name, 300, { minTokens: 280, priority }), 'add')),
    );
    await using host = await createHost({ budget: { inputTokens: 600 }, plugins });
    const session = await host.open('s');
    for (const message of talk) await session.ingest(message);
    const { manifest } = await session.assemble({ model });
    expect(manifest.layers.map(({ id }) => id)).toEqual(['high']);
    expect(session.health().findings).toMatchObject([
      {
        name: 'low',
        where: 'collect: layer low',
        isFailing: true,
        isSkipped: false,
        lastCode: 'VARVE_BUDGET_IMPOSSIBLE',
      },
    ]);
  });

  test('a layer that fits again is not failing any more', async () => {
    let words = 2_000;
    const notes = plugin('notes', 'collect', (draft) =>
      draft.addLayer(layer('notes', words, { minTokens: words }), 'add'),
    );
    await using host = await createHost({ budget: { inputTokens: 600 }, plugins: [notes] });
    const session = await host.open('s');
    for (const message of talk) await session.ingest(message);
    await session.assemble({ model });
    expect(session.health().ok).toBe(false);
    words = 50;
    await session.assemble({ model });
    expect(session.health()).toMatchObject({ ok: true, findings: [{ failures: 1 }] });
  });
});

test('what makes a prompt impossible without any plugin is named, not blamed on one', async () => {
  const notes = plugin('notes', 'collect', (draft) => draft.addLayer(layer('notes', 100, { minTokens: 90 }), 'add'));
  await using host = await createHost({ budget: { inputTokens: 100 }, plugins: [notes] });
  const session = await host.open('s');
  await session.ingest({ role: 'user', content: [{ type: 'image', image: 'iVBORw0KGgo=' }] });
  const error = await session.assemble({ model }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'VARVE_BUDGET_IMPOSSIBLE', details: { liveTokens: 1_604 } });
  expect(session.health().findings).toEqual([]);
});

/** One thing that a plugin does, by its name and a number. */
const change = fc.record({
  op: fc.constantFrom('layer', 'system layer', 'least layer', 'protect', 'protect all', 'edit', 'drop', 'park'),
  size: fc.integer({ min: 1, max: 800 }),
  priority: fc.integer({ min: 0, max: 3 }),
});

function applied(draft: Draft, { op, size, priority }: { op: string; size: number; priority: number }): Draft {
  const groups = draft.groups();
  const id = groups[size % Math.max(1, groups.length)]?.id ?? '';
  switch (op) {
    case 'layer':
      return draft.addLayer(layer(`layer ${priority}`, size, { priority }), 'add');
    case 'system layer':
      return draft.addLayer({ ...layer(`system ${priority}`, size, { priority }), role: 'system' }, 'add');
    case 'least layer':
      return draft.addLayer(layer(`least ${priority}`, size, { priority, minTokens: size }), 'add');
    case 'protect':
      return id === '' ? draft : draft.protect(id);
    case 'protect all':
      return groups.reduce((changed, group) => changed.protect(group.id), draft);
    case 'edit':
      return draft.edit(({ text }) => (text.length % 3 === 0 ? 'word '.repeat(size) : undefined), { rule: 'grow' });
    case 'drop':
      return draft.drop(
        groups.filter(({ live }) => !live && size % 2 === 0).map((group) => group.id),
        'drop',
      );
    default:
      return draft.park(id === '' ? [] : id, 'park');
  }
}

test('whatever plugins do, a prompt that is possible without them is possible with them', async () => {
  const plans = fc.array(
    fc.record({
      hook: fc.constantFrom('collect', 'shape', 'fit', 'assemble'),
      changes: fc.array(change, { maxLength: 4 }),
    }),
    { minLength: 1, maxLength: 4 },
  );
  const sizes = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(plans, sizes, fc.integer({ min: 60, max: 2_000 }), async (planned, words, inputTokens) => {
      const messages = words.map((count, index): Message => {
        const content = `${index} ${'silt '.repeat(count)}`;
        return index % 2 === 0 ? user(content) : { role: 'assistant', content };
      });
      const promptWith = async (plugins: readonly Plugin[], engine: string) => {
        await using host = await createHost({ budget: { inputTokens }, plugins, engine });
        const session = await host.open('s');
        for (const message of messages) await session.ingest(message);
        return await session.assemble({ model }).catch((error: unknown) => error);
      };
      const engines = planned.filter(({ hook }) => hook === 'assemble').slice(1);
      const plugins = planned
        .filter((plan) => !engines.includes(plan))
        .map(({ hook, changes }, index) => plugin(`p${index}`, hook, (draft) => changes.reduce(applied, draft)));
      const hasEngine = planned.some(({ hook }) => hook === 'assemble');
      const without = await promptWith([], 'legacy');
      const prompt = await promptWith(plugins, hasEngine ? 'own' : 'legacy');
      if (VarveError.is(without)) return;
      expect(prompt).toMatchObject({ tokens: expect.any(Number) });
      expect((prompt as { readonly tokens: number }).tokens).toBeLessThanOrEqual(inputTokens);
    }),
    { numRuns: 150 },
  );
});
