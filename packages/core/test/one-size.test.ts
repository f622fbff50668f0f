import { createHost, definePlugin, type Host, type Plugin, type RequestEntry, type Session } from '@varve/core';
import { manualClock } from '@varve/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { entriesOf, scriptedModel, tool, user, wordCounter } from './turn/scripted-model.ts';

const model = { provider: 'test', model: 'test-1' };

/** Offers a tool whose definition is long, and a layer. */
const offering = (): Plugin =>
  definePlugin({
    name: 'acme/offering',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    tools: { look: { description: 'Looks. '.repeat(300), input: z.strictObject({}), execute: () => 'seen' } },
    apply: ({ hooks }) => {
      hooks.collect.tapPromise('collect', (draft) =>
        draft.addLayer(
          { id: 'acme', role: 'system', stability: 'session', items: [{ text: 'Layer. '.repeat(200) }], priority: 1 },
          'test',
        ),
      );
    },
  })();

async function open(plugins: readonly Plugin[], inputTokens = 12_000): Promise<{ host: Host; session: Session }> {
  const host = await createHost({ clock: manualClock(), tokens: wordCounter, plugins, budget: { inputTokens } });
  return { host, session: await host.open('s') };
}

async function talk(session: Session, turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    await session.ingest(user(`Question ${turn}: ${'clay '.repeat(100)}`));
    await session.ingest({ role: 'assistant', content: `Answer ${turn}: ${'silt '.repeat(200)}` });
  }
}

const sizeOf = (reply: unknown): number => (reply as { readonly data: { readonly tokens: number } }).data.tokens;

describe('the size of the next prompt', () => {
  test('is the same one for a turn, for pressure, for commands and for a compaction: with all tools and layers', async () => {
    const { host, session } = await open([offering()]);
    await talk(session, 10);
    await session.ingest(user('And now?'));
    const tools = [tool('read')];
    const definitions = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    // Layers are known once they were collected.
    const shown = sizeOf(await session.command('/context', { model, tools }));
    expect(sizeOf(await session.command('/status', { model, tools }))).toBe(shown);
    expect(session.pressure({ model, tools: definitions as never }).tokens).toBe(shown);
    const own = session.tools().map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    const planned = await session.compact('background', { model, tools: [...definitions, ...own] as never });
    expect(planned.tokensBefore).toBe(shown);
    expect((await session.command('/compact', { model, tools }))?.data).toMatchObject({ tokensBefore: shown });
    await session.undo(session.view.compaction()?.id ?? '');
    await session.turn({ model: scriptedModel([], model).port, tools });
    const request = (await entriesOf(session)).findLast((entry): entry is RequestEntry => entry.type === 'request');
    expect((request?.tokens ?? 0) + (request?.reserved ?? 0)).toBe(shown);
    expect(request?.reserved).toBeGreaterThan(300);
    await host.close();
  });

  test('counts a tool of a plugin once where the host names it itself, in whatever shape', async () => {
    const { host, session } = await open([offering()]);
    const [own] = session.tools();
    const { name = '', description, inputSchema } = own ?? {};
    const alone = session.pressure({ model }).tokens;
    expect(alone).toBeGreaterThan(300);
    const named = session.pressure({ model, tools: [{ name, description, inputSchema }] as never });
    expect(named.tokens).toBe(alone);
    const nested = session.pressure({ model, tools: [{ type: 'function', function: { name } }] });
    expect(nested.tokens).toBeLessThan(alone);
    await host.close();
  });
});

describe('a background compaction', () => {
  const wanting = definePlugin({
    name: 'acme/wanting',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: ({ hooks }) => hooks.shouldCompact.tapPromise('always', ({ tokens, budget }) => tokens > budget.soft),
  });

  test.each([
    ['is made where it leaves room for what comes', 0, 'compacted'],
    ['is not made where what cannot be made smaller would have it due again at once', 5_800, 'below-threshold'],
  ])('%s', async (_, words, status) => {
    const { host, session } = await open([wanting()], 10_000);
    const told: string[] = [];
    host.events.on('compaction-started', ({ reason }) => told.push(reason));
    const tools = words === 0 ? [] : [{ name: 'large', description: 'word '.repeat(words) }];
    const request = { model, tools };
    while (session.pressure(request).level === 'none') await talk(session, 1);
    const outcome = await session.compact('background', request);
    expect(outcome).toMatchObject({ status, trigger: 'background' });
    expect(told).toEqual(status === 'compacted' ? ['background'] : []);
    if (status !== 'compacted') {
      expect(outcome.why).toMatch(/due again soon/);
      expect(session.health().compaction).toMatchObject({ failures: 0, lowYields: 0 });
    }
    await host.close();
  });
});
