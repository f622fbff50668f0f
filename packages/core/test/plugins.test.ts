import {
  API_VERSION,
  type Clock,
  createHost,
  type Draft,
  definePlugin,
  type Entry,
  type HookContext,
  type Host,
  type Message,
  type ModelRef,
  type Plugin,
  type PluginContext,
  type Session,
  VarveError,
} from '@varve/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

const model: ModelRef = { provider: 'anthropic', model: 'test' };

async function entriesOf(session: Session): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of session.read()) entries.push(entry);
  return entries;
}
const hello: Message = { role: 'user', content: 'hello' };

type Apply = (context: PluginContext) => void | (() => void);

function plugin(name: string, apply: Apply, more: Partial<Plugin> = {}): Plugin {
  const made = definePlugin({
    name,
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: (context) => apply(context),
  })();
  return { ...made, ...more };
}

/** Time that passes only when a deadline is waited for: every timer fires as soon as nothing else runs. */
function eagerClock(): Clock {
  let now = 0;
  return {
    now: () => now,
    after: (delay, callback) => {
      const timer = setTimeout(() => {
        now += delay;
        callback();
      }, 0);
      return () => clearTimeout(timer);
    },
  };
}

async function promptWith(host: Host): Promise<readonly Message[]> {
  const session = await host.open('a');
  await session.ingest(hello);
  return (await session.assemble({ model })).messages;
}

describe('starting a host', () => {
  const nothing: Apply = () => undefined;

  test.each([
    ['VARVE_PLUGIN_INVALID', [definePlugin as never]],
    ['VARVE_PLUGIN_INVALID', [{ name: 'x' } as never]],
    ['VARVE_PLUGIN_INVALID', ['text' as never]],
    ['VARVE_PLUGIN_API', [plugin('old', nothing, { apiVersion: '^0.9.0' })]],
    ['VARVE_PLUGIN_API', [plugin('new', nothing, { apiVersion: '^1.99.0' })]],
    ['VARVE_PLUGIN_API', [plugin('odd', nothing, { apiVersion: 'workspace:^1.0.0' })]],
    ['VARVE_CORE_DUPLICATE', [plugin('foreign', nothing, { madeBy: Symbol('another copy') })]],
    ['VARVE_PLUGIN_DUPLICATE', [plugin('a', nothing), plugin('a', nothing)]],
    ['VARVE_PLUGIN_MISSING', [plugin('a', nothing, { requires: ['b'] })]],
    ['VARVE_PLUGIN_CYCLE', [plugin('a', nothing, { after: ['b'] }), plugin('b', nothing, { after: ['a'] })]],
    ['VARVE_PLUGIN_OPTIONS', [{ ...plugin('a', nothing), given: { tpyo: 1 } }]],
    ['VARVE_ENGINE_UNKNOWN', []],
  ])('refuses with %s', async (code, plugins) => {
    const start = async (): Promise<unknown> => {
      const host = await createHost({ plugins, engine: code === 'VARVE_ENGINE_UNKNOWN' ? 'nowhere' : 'legacy' });
      return host.open('a');
    };
    await expect(start()).rejects.toMatchObject({ code, fix: expect.stringMatching(/\S/) });
  });

  test('names the members of a cycle, and both sides of a version that does not fit', async () => {
    const cycle = [plugin('a', nothing, { after: ['b'] }), plugin('b', nothing, { requires: ['a'] })];
    await expect(createHost({ plugins: cycle })).rejects.toThrow('a → b → a');
    const old = plugin('old', nothing, { apiVersion: '^0.9.0' });
    await expect(createHost({ plugins: [old] })).rejects.toThrow(API_VERSION);
  });

  test('names the plugin whose apply throws, and cleans up those that had started', async () => {
    let cleaned = 0;
    const first = plugin('first', () => () => {
      cleaned += 1;
    });
    const bad = plugin('bad', () => {
      throw new Error('no disk');
    });
    await expect(createHost({ plugins: [first, bad] })).rejects.toMatchObject({
      code: 'VARVE_PLUGIN_FAILED',
      message: 'Plugin "bad" could not start: no disk',
    });
    expect(cleaned).toBe(1);
  });

  test('keeps the order of the list and moves plugins only as far as they demand', async () => {
    const list = [
      plugin('c', nothing, { after: ['d'] }),
      [plugin('a', nothing), false, null],
      plugin('d', nothing),
      plugin('b', nothing, { before: ['a'] }),
    ] as const;
    await using host = await createHost({ plugins: list });
    expect(host.plugins.map(({ name }) => name)).toEqual(['d', 'c', 'b', 'a']);
  });

  test('lists every path of the options that is wrong', async () => {
    const sized = definePlugin({
      name: 'sized',
      version: '1.0.0',
      apiVersion: '^1.0.0',
      options: z.strictObject({ most: z.int().positive().default(2) }),
      apply: () => undefined,
    });
    const wrong = sized({ most: -1, mots: 3 } as never);
    await expect(createHost({ plugins: [wrong] })).rejects.toThrow(/most: .*; \(root\): .*mots/);
    await using host = await createHost({ plugins: [sized()] });
    expect(host.plugins).toEqual([{ name: 'sized', version: '1.0.0' }]);
  });

  test('cleans up when it is closed', async () => {
    let cleaned = 0;
    const host = await createHost({
      plugins: [
        plugin('a', () => () => {
          cleaned += 1;
        }),
      ],
    });
    await Promise.all([host.close(), host.close()]);
    expect(cleaned).toBe(1);
  });

  test('refuses a tap that comes late, asks to be first, or is no function', async () => {
    let hooks: PluginContext['hooks'] | undefined;
    await using _host = await createHost({
      plugins: [
        plugin('a', (context) => {
          hooks = context.hooks;
          expect(() => context.hooks.shape.tapPromise({ name: 'x', before: 'y' } as never, () => undefined)).toThrow(
            expect.objectContaining({ code: 'VARVE_TAP_BEFORE' }),
          );
          expect(() => context.hooks.shape.tapPromise('x', 7 as never)).toThrow(
            expect.objectContaining({ code: 'VARVE_PLUGIN_INVALID' }),
          );
        }),
      ],
    });
    expect(() => hooks?.shape.tapPromise('late', () => undefined)).toThrow(
      expect.objectContaining({ code: 'VARVE_HOOK_FROZEN' }),
    );
  });
});

describe('a tap that misbehaves', () => {
  const bad: readonly (readonly [string, (draft: Draft, context: HookContext) => unknown])[] = [
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['throws nothing at all', () => Promise.reject(undefined)],
    ['rejects', () => Promise.reject(new Error('later'))],
    ['hangs', () => new Promise(() => undefined)],
    ['says that the caller aborted', () => Promise.reject(new VarveError('VARVE_ABORTED', 'Not so.', { fix: '-' }))],
    [
      'changes items in place',
      (draft) => {
        for (const item of draft.items) Object.assign(item, { live: false });
      },
    ],
    ['returns a number', () => 7],
    ['returns null', () => null],
    ['returns a copy of the draft', (draft) => ({ ...draft })],
    ['returns something that resolves to nonsense', async () => ({ items: [] })],
    [
      'drops the running turn',
      (draft) =>
        draft.drop(
          draft.groups().map(({ id }) => id),
          'all',
        ),
    ],
    ['drops half of a pair', (draft) => draft.drop('#3', 'half')],
    ['names a group that does not exist', (draft) => draft.park('#999', 'none')],
    [
      'records under a strange name',
      (draft, context) => {
        context.record('Not A Kind', 1);
        return draft;
      },
    ],
    [
      'records a cycle',
      (draft, context) => {
        const loop: { loop?: unknown } = {};
        loop.loop = loop;
        context.record('loop', loop as never);
        return draft;
      },
    ],
  ];

  test.each(bad)('%s: the prompt is made without it, and health names it', async (_, tap) => {
    for (const hook of ['collect', 'shape', 'fit'] as const) {
      await using host = await createHost({
        clock: eagerClock(),
        plugins: [plugin('bad', ({ hooks }) => hooks[hook].tapPromise('misbehave', tap as never))],
      });
      const session = await host.open('a');
      await session.ingest(hello);
      await session.ingest({
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'read', input: {} }],
      });
      await session.ingest({
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'read', output: { type: 'text', value: 'x' } }],
      });
      const prompt = await session.assemble({ model });
      expect(prompt.messages).toHaveLength(3);
      expect(session.health()).toMatchObject({
        ok: false,
        findings: [{ name: 'bad', where: `${hook}: misbehave`, failures: 1 }],
      });
    }
  });

  test('is skipped after three failures in a row, and probed again later', async () => {
    let calls = 0;
    const clock = { time: 0, now: () => clock.time, after: () => () => undefined };
    await using host = await createHost({
      clock,
      plugins: [
        plugin('bad', ({ hooks }) =>
          hooks.shape.tapPromise('fail', () => {
            calls += 1;
            throw new Error('no');
          }),
        ),
      ],
    });
    const session = await host.open('a');
    await session.ingest(hello);
    for (let request = 0; request < 10; request += 1) await session.assemble({ model });
    expect(calls).toBe(3);
    expect(session.health().findings[0]?.isSkipped).toBe(true);
    clock.time += 31_000;
    await session.assemble({ model });
    expect(calls).toBe(4);
  });

  test('cannot use its context after its deadline', async () => {
    let kept: HookContext | undefined;
    await using host = await createHost({
      clock: eagerClock(),
      plugins: [
        plugin('late', ({ hooks }) =>
          hooks.shape.tapPromise('hang', (_, context) => {
            kept = context;
            return new Promise(() => undefined);
          }),
        ),
      ],
    });
    await promptWith(host);
    expect(kept?.signal.aborted).toBe(true);
    expect(() => kept?.record('late', 1)).toThrow(expect.objectContaining({ code: 'VARVE_TAP_EXPIRED' }));
    expect(() => kept?.session).toThrow(expect.objectContaining({ code: 'VARVE_TAP_EXPIRED' }));
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['hangs', () => new Promise(() => undefined)],
    ['returns nonsense', () => 'text'],
    ['changes the role', () => ({ message: { role: 'assistant', content: 'x' }, provenance: { kind: 'user' } })],
  ])('in ingest %s: the message is refused and nothing stored', async (_, tap) => {
    await using host = await createHost({
      clock: eagerClock(),
      plugins: [plugin('bad', ({ hooks }) => hooks.ingest.tapPromise('misbehave', tap as never))],
    });
    const session = await host.open('a');
    for (let time = 0; time < 5; time += 1) {
      await expect(session.ingest(hello)).rejects.toMatchObject({ code: 'VARVE_PLUGIN_FAILED' });
    }
    expect(await entriesOf(session)).toEqual([]);
    expect(session.health().findings[0]).toMatchObject({ name: 'bad', failures: 5, isSkipped: false });
  });
});

describe('a tap', () => {
  test('rewrites a message before it is stored', async () => {
    await using host = await createHost({
      plugins: [
        plugin('redact', ({ hooks }) =>
          hooks.ingest.tapPromise('hide', ({ message, provenance }) => ({
            provenance,
            message: JSON.parse(JSON.stringify(message).replaceAll('hello', 'xxxxx')) as Message,
          })),
        ),
      ],
    });
    expect(await promptWith(host)).toEqual([{ role: 'user', content: 'xxxxx' }]);
  });

  test('adds layers where their stability puts them', async () => {
    await using host = await createHost({
      plugins: [
        plugin('layers', ({ hooks }) =>
          hooks.collect.tapPromise('add', (draft) =>
            draft
              .addLayer({ id: 'clock', role: 'user', stability: 'volatile', items: [{ text: 'noon' }] }, 'time')
              .addLayer({ id: 'notes', role: 'system', stability: 'session', items: [{ text: 'a note' }] }, 'notes')
              .addLayer({ id: 'rules', role: 'system', stability: 'static', items: [{ text: 'a rule' }] }, 'rules'),
          ),
        ),
      ],
    });
    const session = await host.open('a');
    await session.ingest(hello);
    const prompt = await session.assemble({ model });
    expect(prompt.system.map((block) => block.layer)).toEqual(['rules', 'notes']);
    expect(prompt.messages).toEqual([hello, { role: 'user', content: '# clock\n\nnoon' }]);
    expect(prompt.marks).toEqual({ afterSystem: 2, afterStable: 1 });
    expect(prompt.manifest.layers.map((layer) => layer.id)).toEqual(['rules', 'notes', 'clock']);
  });

  test('yields by priority when layers take too much, down to what they need', async () => {
    const text = 'word '.repeat(300);
    const items = [{ text: 'first' }, { text }, { text }];
    await using host = await createHost({
      budget: { inputTokens: 900 },
      plugins: [
        plugin('layers', ({ hooks }) =>
          hooks.collect.tapPromise('add', (draft) =>
            draft
              .addLayer({ id: 'low', role: 'system', stability: 'static', priority: 1, items }, 'low')
              .addLayer({ id: 'high', role: 'system', stability: 'static', priority: 2, items: [{ text }] }, 'high'),
          ),
        ),
      ],
    });
    const session = await host.open('a');
    await session.ingest(hello);
    const { manifest, tokens } = await session.assemble({ model });
    expect(tokens).toBeLessThanOrEqual(900);
    expect(manifest.layers.find((layer) => layer.id === 'high')?.tokens).toBeGreaterThan(280);
  });

  test('makes sticky edits that later requests repeat, also without the plugin', async () => {
    const { memoryStore } = await import('@varve/core');
    const store = memoryStore();
    const shorten = plugin('shorten', ({ hooks }) =>
      hooks.shape.tapPromise('cut', (draft) =>
        draft.edit((part) => (part.text.length > 20 ? part.text.slice(0, 20) : undefined), {
          rule: 'cut',
          sticky: true,
        }),
      ),
    );
    const host = await createHost({ store, plugins: [shorten] });
    const session = await host.open('a');
    await session.ingest({ role: 'user', content: 'a long message of the user, longer than twenty' });
    await session.ingest({ role: 'assistant', content: 'a long answer, longer than twenty characters' });
    await session.ingest(hello);
    const dry = await session.assemble({ model, dryRun: true });
    const first = await session.assemble({ model });
    const second = await session.assemble({ model });
    expect(dry.messages).toEqual(first.messages);
    expect(second.messages).toEqual(first.messages);
    expect(first.messages[0]?.content).toBe('a long message of th');
    const edits = (await entriesOf(session)).filter((entry) => entry.type === 'edit');
    expect(edits).toMatchObject([{ by: 'shorten', edits: [{ seq: 1 }, { seq: 2 }] }]);
    await host.close();
    await using later = await createHost({ store });
    const reopened = await later.open('a');
    const third = await reopened.assemble({ model });
    expect(third.messages).toEqual(first.messages);
    expect(third.manifest.entries[0]).toMatchObject({ kind: 'edited', rule: 'cut', by: 'shorten' });
    await reopened.undo(edits[0]?.id ?? '');
    expect((await reopened.assemble({ model })).messages[0]?.content).toContain('longer than twenty');
  });

  test('records data that it finds again', async () => {
    const counts: unknown[] = [];
    await using host = await createHost({
      plugins: [
        plugin('acme/count', ({ hooks }) =>
          hooks.shape.tapPromise('count', (_, context) => {
            const last = context.session.lastRecord('seen') as { n: number } | undefined;
            counts.push(last?.n);
            context.record('seen', { n: (last?.n ?? 0) + 1 });
          }),
        ),
      ],
    });
    const session = await host.open('a');
    for (let turn = 0; turn < 3; turn += 1) {
      await session.ingest(hello);
      await session.assemble({ model });
    }
    expect(counts).toEqual([undefined, 1, 2]);
  });
});

describe('events', () => {
  test('report in order, and no listener can break or delay anything', async () => {
    await using host = await createHost();
    const seen: string[] = [];
    host.events.on('entry-appended', () => {
      throw new Error('listener');
    });
    host.events.on('entry-appended', ({ seq }) => seen.push(`entry ${seq}`));
    host.events.on('prompt-assembled', () => seen.push('prompt'));
    host.events.on('warning', ({ text }) => seen.push(text));
    const off = host.events.on('entry-appended', () => seen.push('never'));
    off();
    off();
    await promptWith(host);
    await Promise.resolve();
    expect(seen).toEqual(['entry 1', 'A listener of "entry-appended" failed: listener', 'prompt']);
  });

  test('stop with their signal', async () => {
    await using host = await createHost();
    const controller = new AbortController();
    let calls = 0;
    host.events.on(
      'entry-appended',
      () => {
        calls += 1;
      },
      { signal: controller.signal },
    );
    const session = await host.open('a');
    await session.ingest(hello);
    controller.abort();
    await session.ingest(hello);
    expect(calls).toBe(1);
  });
});
