import {
  createHost,
  definePlugin,
  defineTool,
  type Host,
  type Message,
  type Plugin,
  type PluginTool,
  type Session,
  type Tool,
  type ToolOutput,
} from '@varve/core';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';

const model = { provider: 'test', model: 'test-1' };
const hello: Message = { role: 'user', content: 'hello' };
const about = { version: '1.0.0', apiVersion: '^1.0.0', options: z.strictObject({}), apply: () => undefined };

/** A plugin with tools that TypeScript does not look at. */
function offering(tools: unknown, name = 'acme/tools'): Plugin {
  return definePlugin({ ...about, name, tools: tools as Record<string, PluginTool<unknown>> })();
}

async function open(plugins: readonly Plugin[]): Promise<{ host: Host; session: Session }> {
  const host = await createHost({ plugins });
  return { host, session: await host.open('s') };
}

describe('the types of a tool', () => {
  test('follow its schema, in definePlugin and in defineTool', () => {
    const input = z.strictObject({ query: z.string(), most: z.number().default(3) });
    type Expected = { query: string; most: number };
    definePlugin({
      ...about,
      name: 'written-out',
      tools: {
        recall: {
          description: 'Recalls.',
          input,
          execute: (given, { toolCallId, signal }) => {
            expectTypeOf(given).toEqualTypeOf<Expected>();
            expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
            return toolCallId;
          },
        },
        forget: {
          description: 'Forgets.',
          input: z.strictObject({ seq: z.number() }),
          execute: async ({ seq }) => {
            expectTypeOf(seq).toBeNumber();
            return { type: 'json', value: seq };
          },
        },
      },
    });
    definePlugin({
      ...about,
      name: 'by-options',
      options: z.strictObject({ most: z.number().default(3) }),
      tools: (options) => {
        expectTypeOf(options).toEqualTypeOf<{ most: number }>();
        const recall = defineTool({
          description: 'Recalls.',
          input,
          execute: (given) => {
            expectTypeOf(given).toEqualTypeOf<Expected>();
            return given.query;
          },
        });
        return { recall };
      },
    });
    expectTypeOf(defineTool({ description: '', input, execute: () => '' })).toEqualTypeOf<PluginTool<Expected>>();
    expectTypeOf<Tool['execute']>().returns.resolves.toEqualTypeOf<ToolOutput>();
  });
});

describe('the tools of a session', () => {
  const tool = (description: string): object => ({ description, input: z.strictObject({}), execute: () => '' });

  test('stand in the order of the plugins, and in a plugin as they are written', async () => {
    const last = definePlugin({
      ...about,
      name: 'acme/last',
      after: ['acme/first'],
      options: z.strictObject({ names: z.array(z.string()) }),
      tools: ({ names }) => Object.fromEntries(names.map((name) => [name, tool(name) as PluginTool<unknown>])),
    });
    const first = offering({ z: tool('z'), a: tool('a') }, 'acme/first');
    const { host, session } = await open([last({ names: ['y', 'b'] }), first, offering(undefined, 'acme/none')]);
    expect(session.tools().map(({ name }) => name)).toEqual(['z', 'a', 'y', 'b']);
    await host.close();
  });

  test('have definitions that say in JSON Schema what the zod schema says', async () => {
    const input = z.strictObject({
      query: z.string().min(2).describe('What to look for.'),
      most: z.int().positive().default(3),
    });
    const { host, session } = await open([offering({ recall: { description: 'Recalls.', input, execute: () => '' } })]);
    const [{ execute: _, ...definition }] = session.tools() as [Tool];
    expect(definition).toEqual({
      name: 'recall',
      description: 'Recalls.',
      inputSchema: {
        type: 'object',
        properties: {
          query: { type: 'string', minLength: 2, description: 'What to look for.' },
          most: { type: 'integer', exclusiveMinimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 3 },
        },
        required: ['query'],
        additionalProperties: false,
      },
    });
    expect(Object.isFrozen(definition.inputSchema)).toBe(true);
    await host.close();
  });

  test('are told to taps, without what runs them', async () => {
    const seen: unknown[] = [];
    const looking = definePlugin({
      ...about,
      name: 'looking',
      apply: ({ hooks }) => hooks.shape.tapPromise('look', (_draft, { tools }) => void seen.push(tools)),
    });
    const { host, session } = await open([looking(), offering({ recall: tool('Recalls.') })]);
    await session.ingest(hello);
    await session.assemble({ model });
    const [{ execute: _, ...definition }] = session.tools() as [Tool];
    expect(seen).toEqual([[definition]]);
    await host.close();
  });

  test.each<[string, unknown, RegExp]>([
    ['a name with a dot', { 'a.b': tool('x') }, /tool "a.b": providers do not take/],
    ['an empty name', { '': tool('x') }, /providers do not take/],
    ['a name of 65 letters', { ['n'.repeat(65)]: tool('x') }, /providers do not take/],
    ['no description', { a: tool(' ') }, /has no description/],
    ['no execute', { a: { ...tool('x'), execute: undefined } }, /has no `execute`/],
    ['a deadline that is none', { a: { ...tool('x'), deadlineMs: Number.NaN } }, /its deadline is NaN/],
    ['a schema of something else', { a: { ...tool('x'), input: { type: 'object' } } }, /no zod schema/],
    ['a schema of no object', { a: { ...tool('x'), input: z.string() } }, /describes no object/],
    [
      'a schema that JSON does not know',
      { a: { ...tool('x'), input: z.strictObject({ at: z.date() }) } },
      /JSON Schema cannot/,
    ],
    ['nothing in its place', { a: null }, /has no description/],
    ['a list where tools should stand', 7, /its tools are of the type number/],
  ])('are refused at start with %s', async (_, tools, message) => {
    await expect(createHost({ plugins: [offering(tools)] })).rejects.toMatchObject({
      code: 'VARVE_TOOL_INVALID',
      message: expect.stringMatching(message),
      fix: expect.stringMatching(/\S/),
    });
  });

  test('are refused when two plugins have one of the same name, and both are named', async () => {
    const plugins = [offering({ recall: tool('x') }, 'acme/one'), offering({ recall: tool('y') }, 'acme/two')];
    await expect(createHost({ plugins })).rejects.toMatchObject({
      code: 'VARVE_TOOL_DUPLICATE',
      message: 'Plugins "acme/one" and "acme/two" both offer a tool "recall".',
    });
  });

  test('that cannot be made are a failure of their plugin', async () => {
    const plugins = [
      offering(() => {
        throw new Error('no moon');
      }),
    ];
    await expect(createHost({ plugins })).rejects.toMatchObject({
      code: 'VARVE_PLUGIN_FAILED',
      message: 'Plugin "acme/tools" could not start: no moon',
    });
  });
});
