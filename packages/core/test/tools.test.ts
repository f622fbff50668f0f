import {
  createHost,
  definePlugin,
  type Entry,
  type Host,
  type HostEvents,
  type Message,
  type Plugin,
  type PluginTool,
  type Session,
  type Tool,
  type ToolContext,
  type ToolOutput,
  VarveError,
} from '@varve/core';
import { manualClock } from '@varve/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

const _model = { provider: 'test', model: 'test-1' };
const hello: Message = { role: 'user', content: 'hello' };
const about = { version: '1.0.0', apiVersion: '^1.0.0', options: z.strictObject({}), apply: () => undefined };

/** A plugin with tools that TypeScript does not look at. */
function offering(tools: unknown, name = 'acme/tools'): Plugin {
  return definePlugin({ ...about, name, tools: tools as Record<string, PluginTool<unknown>> })();
}

/** A plugin with the one tool `try`, which takes anything in `value`. */
function trying(execute: (value: unknown, context: ToolContext) => unknown, more: object = {}): Plugin {
  const input = z.strictObject({ value: z.unknown().optional() });
  const run = ({ value }: { readonly value?: unknown }, context: ToolContext): unknown => execute(value, context);
  return offering({ try: { description: 'Tries.', input, execute: run, ...more } });
}

async function open(plugins: readonly Plugin[], options: object = {}): Promise<{ host: Host; session: Session }> {
  const host = await createHost({ plugins, ...options });
  return { host, session: await host.open('s') };
}

const call = (tool: Tool | undefined, input: unknown = {}, signal?: AbortSignal): Promise<ToolOutput> =>
  (tool as Tool).execute(input, { toolCallId: 'call-1', signal });

async function entriesOf(session: Session): Promise<Entry[]> {
  await session.explain().catch(() => undefined); // stores what is pending
  const entries: Entry[] = [];
  for await (const entry of session.read()) entries.push(entry);
  return entries;
}

describe('a call', () => {
  test('gives what the tool returned, checked and frozen, with defaults filled in', async () => {
    const content = [{ type: 'text', text: 'a' }];
    const outputs: readonly unknown[] = [
      'plain',
      { type: 'text', value: 'plain' },
      { type: 'json', value: { at: [1, null] } },
      { type: 'error-text', value: 'not found' },
      { type: 'error-json', value: {} },
      { type: 'content', value: content },
    ];
    const { host, session } = await open([trying((at) => outputs[at as number])]);
    for (const [at, output] of outputs.entries()) {
      const given = await call(session.tools()[0], { value: at });
      expect(given).toEqual(typeof output === 'string' ? { type: 'text', value: output } : output);
    }
    content.push({ type: 'text', text: 'later' });
    expect(session.health().findings).toEqual([]);
    await host.close();
  });

  test('with an input that does not match tells the model what is wrong, and the tool does not run', async () => {
    let runs = 0;
    const plugin = offering({
      recall: {
        description: 'Recalls.',
        input: z.strictObject({ query: z.string(), most: z.int().default(3) }),
        execute: () => {
          runs += 1;
          return '';
        },
      },
    });
    const { host, session } = await open([plugin]);
    for (const input of [null, 'text', [], undefined, { query: 7 }]) {
      expect(await call(session.tools()[0], input)).toMatchObject({ type: 'error-text' });
    }
    const { value } = await call(session.tools()[0], { query: 7, most: 1.5, mots: 2 });
    expect(value).toBe(
      [
        'The input of "recall" is not valid:',
        '- query: Invalid input: expected string, received number',
        '- most: Invalid input: expected int, received number',
        '- input: Unrecognized key: "mots"',
        'Correct it and call the tool again.',
      ].join('\n'),
    );
    expect([runs, session.health().findings]).toEqual([0, []]);
    await host.close();
  });

  const cycle: { own?: unknown } = {};
  cycle.own = cycle;
  let deep: unknown = 1;
  for (let level = 0; level < 5_000; level += 1) deep = { deep };

  test.each<[string, (context: ToolContext) => unknown, RegExp]>([
    [
      'throws',
      () => {
        throw new Error('no disk');
      },
      /^The tool "try" failed: no disk$/,
    ],
    ['rejects with nothing', () => Promise.reject(undefined), /failed: undefined$/],
    [
      'throws an empty error',
      () => {
        throw new Error('');
      },
      /failed: it did not say why$/,
    ],
    ['returns nothing', () => undefined, /failed: .*not JSON/],
    ['returns a number', () => 7, /failed: .*no tool output/],
    ['returns an output of an unknown type', () => ({ type: 'html', value: '' }), /no tool output/],
    ['returns a cycle', () => ({ type: 'json', value: cycle }), /not JSON/],
    ['returns something very deep', () => ({ type: 'json', value: deep }), /nested/],
    ['returns a function', () => ({ type: 'json', value: { f: () => 1 } }), /not JSON at value\.f/],
    ['returns a number that JSON does not have', () => ({ type: 'json', value: Number.NaN }), /not JSON/],
    [
      'says that its caller aborted',
      () => {
        throw new VarveError('VARVE_ABORTED', 'Not so.', { fix: '-' });
      },
      /Not so/,
    ],
    ['records what is not JSON', ({ record }) => record('loop', cycle as never), /not JSON/],
  ])('of a tool that %s tells the model so, and health, and who listens', async (_, execute, text) => {
    const failed: HostEvents['plugin-failed'][] = [];
    const { host, session } = await open([trying((_value, context) => execute(context))]);
    host.events.on('plugin-failed', (event) => failed.push(event));
    const output = await call(session.tools()[0]);
    expect(output).toMatchObject({ type: 'error-text', value: expect.stringMatching(text) });
    expect(session.health()).toMatchObject({
      ok: false,
      findings: [{ name: 'acme/tools', where: 'tool: try', failures: 1, isSkipped: false }],
    });
    await Promise.resolve();
    expect(failed).toMatchObject([{ plugin: 'acme/tools', hook: 'tool', tap: 'try', sessionId: 's' }]);
    await host.close();
  });

  test('says at most so much of an error, and never where in the code it happened', async () => {
    const { host, session } = await open([
      trying(() => {
        throw new Error(`${new Error('inner').stack}\n${'x'.repeat(9_000)}`);
      }),
    ]);
    const { value } = await call(session.tools()[0]);
    expect(value).toMatch(/^The tool "try" failed: Error: inner\nx+…$/);
    expect(String(value).length).toBeLessThan(1_100);
    await host.close();
  });

  test('never cuts an error inside a character', async () => {
    let before = 990;
    const { host, session } = await open([
      trying(() => {
        throw new Error('x'.repeat(before) + '🪨'.repeat(50));
      }),
    ]);
    for (; before < 992; before += 1) {
      const { value } = await call(session.tools()[0]);
      expect(String(value)).not.toMatch(/\p{Surrogate}/u);
    }
    await host.close();
  });

  test('is never refused because the ones before failed, and health recovers with it', async () => {
    let works = false;
    const { host, session } = await open([
      trying(() => {
        if (works) return 'done';
        throw new Error('no');
      }),
    ]);
    for (let time = 0; time < 9; time += 1) await call(session.tools()[0]);
    works = true;
    expect(await call(session.tools()[0])).toEqual({ type: 'text', value: 'done' });
    expect(session.health()).toMatchObject({ ok: true, findings: [{ failures: 9, isFailing: false }] });
    await host.close();
  });

  test.each([
    [undefined, 120_000],
    [2_000, 2_000],
  ])('ends at the deadline: with deadlineMs %s, after %s ms', async (deadlineMs, expected) => {
    const clock = manualClock();
    let kept: ToolContext | undefined;
    const waiting = trying(
      (_value, context) => {
        kept = context;
        return new Promise(() => undefined);
      },
      { deadlineMs },
    );
    const { host, session } = await open([waiting], { clock });
    const output = call(session.tools()[0]);
    for (let turn = 0; kept === undefined && turn < 100; turn += 1) await Promise.resolve();
    expect(kept?.deadline).toBe(clock.now() + expected);
    clock.advance(expected - 1);
    expect(kept?.signal.aborted).toBe(false);
    clock.advance(1);
    expect(await output).toEqual({
      type: 'error-text',
      value: `The tool "try" did not finish within ${expected / 1_000} s. Ask it for less, or go on without it.`,
    });
    expect(kept?.signal.aborted).toBe(true);
    expect(() => kept?.record('late', 1)).toThrow(expect.objectContaining({ code: 'VARVE_TAP_EXPIRED' }));
    expect(session.health().findings).toMatchObject([{ lastCode: 'VARVE_TAP_TIMEOUT' }]);
    await host.close();
  });

  test('that its caller aborts throws, before and while it runs, and is no failure', async () => {
    const { host, session } = await open([trying(() => new Promise(() => undefined))]);
    const [tool] = session.tools();
    await expect(call(tool, {}, AbortSignal.abort())).rejects.toMatchObject({ code: 'VARVE_ABORTED' });
    const controller = new AbortController();
    const running = call(tool, {}, controller.signal);
    controller.abort();
    await expect(running).rejects.toMatchObject({ code: 'VARVE_ABORTED' });
    expect(session.health().findings).toEqual([]);
    await host.close();
  });

  test('is told of with its id and how long it took', async () => {
    const clock = manualClock();
    const finished: HostEvents['tool-finished'][] = [];
    const { host, session } = await open([trying(() => `${clock.advance(40)}`)], { clock });
    host.events.on('tool-finished', (event) => finished.push(event));
    await call(session.tools()[0]);
    await Promise.resolve();
    expect(finished).toMatchObject([
      { plugin: 'acme/tools', tool: 'try', toolCallId: 'call-1', ms: 40, sessionId: 's' },
    ]);
    await host.close();
  });
});

describe('the context of a tool', () => {
  test('shows the session, the time and the call', async () => {
    const clock = manualClock();
    const { host, session } = await open(
      [
        trying((_value, { session: view, toolCallId, now, countTokens }) => ({
          type: 'json',
          value: [view.sessionId, view.messages().length, toolCallId, now(), countTokens('') >= 0],
        })),
      ],
      { clock },
    );
    await session.ingest(hello);
    expect(await call(session.tools()[0])).toEqual({ type: 'json', value: ['s', 1, 'call-1', clock.now(), true] });
    await host.close();
  });

  test('stores what a tool recorded when it has succeeded, and nothing of one that failed', async () => {
    const { host, session } = await open([
      trying((value, { record, session: view }) => {
        record('note', { value: value as string });
        if (value === 'bad') throw new Error('no');
        return JSON.stringify(view.lastRecord('note') ?? null);
      }),
    ]);
    const [tool] = session.tools();
    await call(tool, { value: 'bad' });
    expect(await call(tool, { value: 'good' })).toEqual({ type: 'text', value: 'null' });
    expect(await call(tool, { value: 'more' })).toEqual({ type: 'text', value: '{"value":"good"}' });
    expect(await entriesOf(session)).toMatchObject([
      { type: 'acme/tools:note', data: { value: 'good' } },
      { type: 'acme/tools:note', data: { value: 'more' } },
    ]);
    await host.close();
  });
});
