import {
  type ContextEngine,
  createHost,
  type Draft,
  definePlugin,
  type Host,
  type Message,
  type Plugin,
  type PluginContext,
  VarveError,
} from '@varve/core';
import { expect, test } from 'vitest';
import { z } from 'zod';

const model = { provider: 'test', model: 'test-1' };
const hello: Message = { role: 'user', content: 'hello' };

function plugin(name: string, apply: (context: PluginContext) => void): Plugin {
  return definePlugin({ name, version: '1.0.0', apiVersion: '^1.0.0', options: z.strictObject({}), apply })();
}

function engine(parts: Record<string, unknown> = {}): ContextEngine {
  return {
    info: { id: 'own', name: 'Own', version: '1.0.0' },
    ingest: async () => ({ ingested: true }),
    assemble: async ({ draft }) => draft,
    compact: async ({ defaultPlan }) => defaultPlan(),
    ...parts,
  };
}

const hostWith = (create: () => ContextEngine, inputTokens = 3_000): Promise<Host> =>
  createHost({
    engine: 'own',
    budget: { inputTokens },
    plugins: [plugin('engines', ({ registerEngine }) => registerEngine('own', create))],
  });

test('a draft of an earlier assembly is refused: the newest message is in the prompt', async () => {
  let cached: Draft | undefined;
  const assemble: ContextEngine['assemble'] = async ({ draft }) => {
    cached ??= draft;
    return cached;
  };
  await using host = await hostWith(() => engine({ assemble }));
  const session = await host.open('s');
  await session.ingest(hello);
  await session.assemble({ model });
  await session.ingest({ role: 'assistant', content: 'Hi.' });
  await session.ingest({ role: 'user', content: 'the newest' });
  expect((await session.assemble({ model })).messages.at(-1)).toEqual({ role: 'user', content: 'the newest' });
  expect(session.health()).toMatchObject({
    ok: false,
    findings: [{ name: 'own', where: 'assemble', lastCode: 'VARVE_DRAFT_FOREIGN' }],
  });
});

test('a draft that grew beyond the budget of history is not taken', async () => {
  const text = 'word '.repeat(5_000);
  const assemble: ContextEngine['assemble'] = async ({ draft }) =>
    draft.addLayer({ id: 'huge', role: 'user', stability: 'session', items: [{ text }] }, 'huge');
  await using host = await hostWith(() => engine({ assemble }));
  const session = await host.open('s');
  await session.ingest(hello);
  expect((await session.assemble({ model })).messages).toEqual([hello]);
  expect(session.health().findings).toMatchObject([{ name: 'own', where: 'assemble' }]);
});

test.each<readonly [string, () => unknown]>([
  [
    'throws',
    () => {
      throw new Error('no model');
    },
  ],
  ['makes nothing', () => undefined],
  ['makes something else', () => ({ assemble: 1 })],
])('an engine whose factory %s degrades to the reference path, and says so', async (_, create) => {
  const degraded: string[] = [];
  await using host = await hostWith(create as () => ContextEngine);
  host.events.on('engine-degraded', (event) => degraded.push(`${event.engine} ${event.method}: ${event.error}`));
  const session = await host.open('s');
  await session.ingest(hello);
  expect((await session.assemble({ model })).messages).toEqual([hello]);
  await Promise.resolve();
  expect(degraded.map((text) => text.split(':')[0])).toEqual(['own ingest', 'own assemble']);
  expect(degraded[0]).toContain('could not be made');
  expect(session.health()).toMatchObject({ ok: false, findings: [{ name: 'own' }, { name: 'own' }] });
});

test.each<readonly [string, string, Record<string, unknown>]>([
  ['ingest', 'VARVE_PLUGIN_FAILED', { ingest: async () => 7 }],
  ['ingest', 'VARVE_PLUGIN_FAILED', { ingest: async () => ({ ingested: 'yes' }) }],
  ['compact', 'VARVE_PLUGIN_FAILED', { compact: async () => ({}) }],
  ['compact', 'VARVE_PLUGIN_FAILED', { compact: async () => undefined }],
])('what %s returns is checked: %s', async (method, code, parts) => {
  await using host = await hostWith(() => engine(parts));
  const session = await host.open('s');
  for (let turn = 0; turn < 6; turn += 1) {
    await session.ingest({ role: 'user', content: `Question ${turn}. ${'clay '.repeat(60)}` });
    await session.ingest({ role: 'assistant', content: `Answer ${turn}. ${'silt '.repeat(60)}` });
  }
  expect((await session.compact('manual', { model })).status).toBe('compacted');
  expect(session.health().findings).toMatchObject([{ name: 'own', where: method, lastCode: code }]);
});

test('an engine cannot use the session after its call', async () => {
  let late = (): unknown => undefined;
  const assemble: ContextEngine['assemble'] = async ({ session: { messages }, draft }) => {
    late = messages;
    return draft;
  };
  await using host = await hostWith(() => engine({ assemble }));
  const session = await host.open('s');
  await session.ingest(hello);
  await session.assemble({ model });
  expect(() => late()).toThrow(expect.objectContaining({ code: 'VARVE_TAP_EXPIRED' }));
});

test.each<readonly [string, string, readonly unknown[][]]>([
  [
    'an id that is taken',
    'VARVE_PLUGIN_DUPLICATE',
    [
      ['own', engine],
      ['own', engine],
    ],
  ],
  ['an empty id', 'VARVE_PLUGIN_INVALID', [[' ', engine]]],
  ['an id that is no text', 'VARVE_PLUGIN_INVALID', [[7, engine]]],
  ['an id that core keeps', 'VARVE_PLUGIN_INVALID', [['core', engine]]],
  ['an engine instead of its factory', 'VARVE_PLUGIN_INVALID', [['own', engine()]]],
])('refuses to register %s', async (_, code, given) => {
  const twice = plugin('engines', ({ registerEngine }) => {
    for (const [id, create] of given) registerEngine(id as string, create as () => ContextEngine);
  });
  await expect(createHost({ plugins: [twice] })).rejects.toMatchObject({ code });
});

test.each<readonly [string, (controller: AbortController) => Promise<never>]>([
  [
    'aborted',
    async (controller) => {
      controller.abort();
      return new Promise<never>(() => undefined);
    },
  ],
  [
    'given up by the engine itself',
    async (controller) => {
      controller.abort();
      throw new VarveError('VARVE_ABORTED', 'Aborted.', { fix: '-' });
    },
  ],
  ['failing', async () => Promise.reject(new Error('no index'))],
])('an entry that is stored is given back though telling the engine of it is %s', async (_, ingest) => {
  const controller = new AbortController();
  const degraded: string[] = [];
  await using host = await hostWith(() => engine({ ingest: () => ingest(controller) }));
  host.events.on('engine-degraded', ({ method }) => degraded.push(method));
  const session = await host.open('s');
  const entry = await session.ingest(hello, { signal: controller.signal });
  expect(entry).toMatchObject({ seq: 1, message: hello });
  expect(session.view.messages()).toEqual([entry]);
  expect(session.health()).toMatchObject({ ok: false, findings: [{ name: 'own', where: 'ingest', isFailing: true }] });
  await Promise.resolve();
  expect(degraded).toEqual(['ingest']);
});
