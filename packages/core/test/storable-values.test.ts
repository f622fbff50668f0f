import {
  createHost,
  definePlugin,
  type JsonValue,
  type Message,
  memoryStore,
  type Session,
  VarveError,
} from '@varve/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

const model = { provider: 'test', model: 'test-1' };

function nested(depth: number): unknown {
  let value: unknown = 'bottom';
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { value };
  return value;
}

function cycle(): unknown {
  const loop: { self?: unknown } = {};
  loop.self = loop;
  return { loop };
}

function doubled(times: number): unknown {
  let value: unknown = 'x';
  for (let time = 0; time < times; time += 1) value = [value, value];
  return value;
}

/** Values are made when a test asks: naming a test by one of them would take as long as storing it. */
const unfit: readonly (readonly [string, () => unknown])[] = [
  ['an object that is nested 2 000 deep', () => nested(2_000)],
  ['an object that is nested 200 000 deep', () => nested(200_000)],
  ['a cycle', cycle],
  ['an object that holds another one twice, forty times over', () => doubled(40)],
  ['a BigInt', () => ({ id: 12n })],
  ['not a number', () => ({ share: Number.NaN })],
  ['a function', () => ({ run: () => 1 })],
  ['a hole in a list', () => [1, undefined, 2]],
  ['a map', () => new Map([['a', 1]])],
  ['a toJSON that throws', () => ({ toJSON: throwing })],
  ['a getter that throws', () => Object.defineProperty({}, 'value', { get: throwing, enumerable: true })],
  ['a proxy that throws', () => new Proxy({}, { ownKeys: throwing })],
];

function throwing(): never {
  throw new TypeError('not today');
}

const call = (input: unknown): Message => ({
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'run', input: input as JsonValue }],
});
const result = (value: unknown): Message => ({
  role: 'tool',
  content: [
    { type: 'tool-result', toolCallId: 'c', toolName: 'run', output: { type: 'json', value: value as JsonValue } },
  ],
});

/** Every way by which data of a caller gets into a journal. */
const ways: readonly (readonly [string, (session: Session, value: unknown) => Promise<unknown>])[] = [
  ['ingest of a tool input', (session, value) => session.ingest(call(value))],
  ['ingest of a tool output', (session, value) => session.ingest(result(value))],
  [
    'ingest of provider options',
    (session, value) => {
      const providerOptions = { some: { option: value as JsonValue } };
      return session.ingest({ role: 'user', content: [{ type: 'text', text: 'hi', providerOptions }] });
    },
  ],
  [
    'ingest of a field that nobody knows',
    (session, value) => session.ingest({ role: 'user', content: 'hi', value } as never),
  ],
  ['set', (session, value) => session.set('name', value as JsonValue)],
  ['setState', (session, value) => session.setState('name', value as string)],
  ['record', (session, value) => session.record('acme:data', value as JsonValue)],
  ['the tools of a prompt', (session, value) => session.assemble({ model, tools: [value as JsonValue] })],
];

describe.each(ways)('%s', (_, store) => {
  test.each(unfit)('refuses %s with an error of Varve, and stores nothing', async (_what, make) => {
    await using host = await createHost({ store: memoryStore() });
    const session = await host.open('s');
    const error = await store(session, make()).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(VarveError.is(error)).toBe(true);
    expect(error).toMatchObject({ fix: expect.stringMatching(/\S/), details: { path: expect.any(String) } });
    await session.ingest({ role: 'user', content: 'after' });
    expect((await session.assemble({ model })).messages).toEqual([{ role: 'user', content: 'after' }]);
  });
});

test('a tap cannot record what no journal can hold', async () => {
  const thrown: unknown[] = [];
  const recorder = definePlugin({
    name: 'recorder',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: ({ hooks }) => {
      hooks.ingest.tapPromise('record', (_, context) => {
        for (const [, make] of unfit) {
          try {
            context.record('data', make() as JsonValue);
          } catch (error) {
            thrown.push(VarveError.is(error, 'VARVE_PLUGIN_RECORD'));
          }
        }
      });
    },
  });
  await using host = await createHost({ plugins: [recorder()] });
  await (await host.open('s')).ingest({ role: 'user', content: 'hi' });
  expect(thrown).toEqual(unfit.map(() => true));
});

describe('what can be stored', () => {
  const fit: readonly (readonly [string, unknown, unknown])[] = [
    ['data that is nested 400 deep', nested(400), nested(400)],
    [
      'keys named __proto__',
      JSON.parse('{"__proto__":{"polluted":true},"a":1}'),
      JSON.parse('{"__proto__":{"polluted":true},"a":1}'),
    ],
    ['lone surrogates', { text: '\ud800', '\udfff': 1 }, { text: '\ud800', '\udfff': 1 }],
    ['a date, as its toJSON says', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
    ['properties that are undefined, without them', { a: 1, b: undefined }, { a: 1 }],
    ['minus zero, as zero', [-0], [0]],
  ];

  test.each(fit)('comes back after a restart: %s', async (_, value, expected) => {
    const store = memoryStore();
    const host = await createHost({ store });
    const session = await host.open('s');
    await session.ingest(call(value));
    await session.ingest(result(value));
    await session.set('value', value as JsonValue);
    const before = await session.assemble({ model });
    expect(session.view.settings).toEqual({ value: expected });
    await host.close();
    await using later = await createHost({ store });
    const again = await later.open('s');
    expect(again.view.settings).toEqual({ value: expected });
    expect((await again.assemble({ model })).messages).toEqual(before.messages);
    expect(Object.prototype).not.toHaveProperty('polluted');
  });

  test('is a message of 200 000 parts', async () => {
    await using host = await createHost({ budget: { inputTokens: null } });
    const session = await host.open('s');
    const parts = Array.from({ length: 200_000 }, (_, part) => ({ type: 'text' as const, text: `part ${part}` }));
    await session.ingest({ role: 'user', content: parts });
    const { messages } = await session.assemble({ model });
    expect(messages[0]?.content).toHaveLength(200_000);
  });

  test('is what the message was when it was handed over', async () => {
    await using host = await createHost();
    const session = await host.open('s');
    const content = [{ type: 'text' as const, text: 'first' }];
    const first = session.ingest({ role: 'user', content: 'zeroth' });
    const second = session.ingest({ role: 'user', content });
    content[0] = { type: 'text', text: 'changed' };
    await Promise.all([first, second]);
    const { messages } = await session.assemble({ model });
    expect(messages[1]?.content).toEqual([{ type: 'text', text: 'first' }]);
  });
});

test('a host whose plugin holds a cycle, a BigInt or a getter that throws in its options starts', async () => {
  const holder = definePlugin({
    name: 'holder',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.object({ client: z.unknown() }),
    apply: () => undefined,
  });
  for (const [, make] of unfit) {
    await using host = await createHost({ plugins: [holder({ client: make() })] });
    await (await host.open('s')).ingest({ role: 'user', content: 'hi' });
  }
});
