import {
  type Clock,
  createHost,
  type Draft,
  definePlugin,
  type HookContext,
  type HostEvents,
  type Message,
  type Plugin,
  type PluginContext,
} from '@varve/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

const model = { provider: 'test', model: 'test-1' };
const hello: Message = { role: 'user', content: 'hello' };

function plugin(name: string, apply: (context: PluginContext) => unknown): Plugin {
  return definePlugin({
    name,
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: apply as () => void,
  })();
}

function manualClock(): Clock & { time: number } {
  return {
    time: 0,
    now() {
      return this.time;
    },
    after: () => () => undefined,
  };
}

test('what a tap took from its context ends with the tap, methods and session included', async () => {
  const kept: (() => unknown)[] = [];
  let spread: Partial<HookContext> = {};
  const keeper = plugin('keeper', ({ hooks }) =>
    hooks.shape.tapPromise('keep', (draft: Draft, context) => {
      const { record, countTokens, now, session } = context;
      const { messages, lastRecord, compaction } = session;
      spread = { ...context };
      expect([messages().length, countTokens('') >= 0, session.sessionId]).toEqual([1, true, 's']);
      record('during', 1);
      kept.push(
        () => record('late', 1),
        () => countTokens('x'),
        () => now(),
        () => messages(),
        () => compaction(),
      );
      kept.push(
        () => lastRecord('during'),
        () => session.settings,
        () => session.sessionId,
        () => context.budget,
      );
      kept.push(
        () => spread.record?.('late', 1),
        () => spread.session?.messages(),
      );
      return draft;
    }),
  );
  await using host = await createHost({ plugins: [keeper] });
  const session = await host.open('s');
  await session.ingest(hello);
  await session.assemble({ model });
  expect(session.health().findings).toEqual([]);
  for (const use of kept) expect(use).toThrow(expect.objectContaining({ code: 'VARVE_TAP_EXPIRED' }));
  expect(spread.signal?.aborted).toBe(false);
});

test('nobody can change a context, or get at what is behind it', async () => {
  let described: (() => unknown) | undefined;
  const tries: string[] = [];
  const prober = plugin('prober', ({ hooks }) =>
    hooks.shape.tapPromise('probe', (_: Draft, context) => {
      const attempts = {
        write: () => Object.assign(context, { query: 'another' }),
        define: () => Object.defineProperty(context.session, 'key', { value: 'another' }),
        prototype: () => Object.setPrototypeOf(context, null),
      };
      for (const [name, attempt] of Object.entries(attempts)) {
        expect(attempt, name).toThrow(TypeError);
        tries.push(name);
      }
      expect(Reflect.deleteProperty(context, 'budget')).toBe(false);
      expect([context.query, context.session.key, context.budget === null]).toEqual([null, null, false]);
      described = Object.getOwnPropertyDescriptor(context, 'now')?.value as () => unknown;
    }),
  );
  await using host = await createHost({ plugins: [prober] });
  const session = await host.open('s');
  await session.ingest(hello);
  await session.assemble({ model });
  expect(session.health().findings).toEqual([]);
  expect(tries).toHaveLength(3);
  expect(described).toThrow(expect.objectContaining({ code: 'VARVE_TAP_EXPIRED' }));
});

test('a signal that is read for the first time after its tap was given up on is aborted', async () => {
  const controller = new AbortController();
  let kept: HookContext | undefined;
  const waiter = plugin('waiter', ({ hooks }) =>
    hooks.shape.tapPromise('wait', async (_: Draft, context) => {
      kept = context;
      controller.abort();
      await new Promise(() => undefined);
    }),
  );
  await using host = await createHost({ plugins: [waiter] });
  const session = await host.open('s');
  await session.ingest(hello);
  await expect(session.assemble({ model, signal: controller.signal })).rejects.toMatchObject({ code: 'VARVE_ABORTED' });
  expect(kept?.signal.aborted).toBe(true);
  expect(kept?.signal.reason).toMatchObject({ code: 'VARVE_ABORTED' });
});

describe('starting', () => {
  test.each(['resolves', 'rejects'])('refuses an apply that is asynchronous and %s', async (how) => {
    const late = plugin('late', async () => {
      if (how === 'rejects') throw new Error('no disk');
    });
    await expect(createHost({ plugins: [late] })).rejects.toMatchObject({
      code: 'VARVE_PLUGIN_INVALID',
      message: expect.stringContaining('apply must be synchronous'),
    });
  });

  test.each(['core', 'host', 'transcripts'])('refuses a plugin named %s', async (name) => {
    const start = createHost({ plugins: [plugin(name, () => undefined)] });
    await expect(start).rejects.toMatchObject({ code: 'VARVE_PLUGIN_INVALID', message: expect.stringContaining(name) });
  });
});

test('an open breaker lets one call through at a time, and health recovers when it succeeds', async () => {
  const clock = manualClock();
  let works = false;
  const calls: (() => void)[] = [];
  let times = 0;
  const flaky = plugin('flaky', ({ hooks }) =>
    hooks.shape.tapPromise('try', async (draft: Draft) => {
      times += 1;
      if (!works) throw new Error('no');
      await new Promise<void>((resolve) => calls.push(resolve));
      return draft;
    }),
  );
  await using host = await createHost({ clock, plugins: [flaky] });
  const session = await host.open('s');
  await session.ingest(hello);
  for (let request = 0; request < 5; request += 1) await session.assemble({ model, dryRun: true });
  expect(times).toBe(3);
  expect(session.health()).toMatchObject({ ok: false, findings: [{ isFailing: true, isSkipped: true }] });

  works = true;
  clock.time += 31_000;
  const probe = session.assemble({ model, dryRun: true });
  await session.assemble({ model, dryRun: true });
  await session.assemble({ model, dryRun: true });
  expect(times).toBe(4);
  for (const end of calls) end();
  await probe;
  expect(session.health()).toMatchObject({
    ok: true,
    findings: [{ name: 'flaky', failures: 3, lastError: 'no', isFailing: false, isSkipped: false }],
  });
});

test('health recovers from a refused message once one is taken', async () => {
  let works = false;
  const strict = plugin('strict', ({ hooks }) =>
    hooks.ingest.tapPromise('check', () => {
      if (!works) throw new Error('no');
    }),
  );
  await using host = await createHost({ plugins: [strict] });
  const session = await host.open('s');
  for (let time = 0; time < 4; time += 1) await expect(session.ingest(hello)).rejects.toThrow('no');
  expect(session.health()).toMatchObject({ ok: false, findings: [{ isFailing: true, isSkipped: false }] });
  works = true;
  await session.ingest(hello);
  expect(session.health()).toMatchObject({ ok: true, findings: [{ failures: 4, isFailing: false }] });
});

test('tap-finished says what a tap did to the draft', async () => {
  const seen: HostEvents['tap-finished'][] = [];
  const shorten = plugin('shorten', ({ hooks }) => {
    hooks.shape.tapPromise('cut', (draft) => draft.edit(() => 'short', { rule: 'cut' }));
    hooks.fit.tapPromise('look', () => undefined);
    hooks.ingest.tapPromise('look', () => undefined);
  });
  await using host = await createHost({ plugins: [shorten] });
  host.events.on('tap-finished', (event) => seen.push(event));
  const session = await host.open('s');
  await session.ingest({ role: 'user', content: 'a long question '.repeat(20) });
  await session.ingest({ role: 'assistant', content: 'a long answer '.repeat(20) });
  await session.ingest(hello);
  seen.length = 0;
  await session.assemble({ model });
  await Promise.resolve();
  const [cut, look] = seen.filter(({ hook }) => hook !== 'ingest');
  expect(cut?.tokensAfter).toBeLessThan(cut?.tokensBefore ?? 0);
  expect(cut?.changes).toMatchObject([{ seq: 1, after: { kind: 'edited', rule: 'cut', by: 'shorten' } }, { seq: 2 }]);
  expect(look).toMatchObject({ tokensBefore: cut?.tokensAfter, tokensAfter: cut?.tokensAfter, changes: [] });
});
