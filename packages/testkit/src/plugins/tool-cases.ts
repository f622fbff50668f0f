import type { JsonValue, Session, ToolDefinition } from '@varve/core';
import { assertEqual } from '../assert.ts';
import { sampleConversations } from '../conversation/sample-conversations.ts';
import { converse, giveWay } from '../trial/trial-host.ts';
import { onPlugin, type PluginCase } from './plugin-subject.ts';

type Schema = { readonly [keyword: string]: JsonValue | undefined };

/** The smallest values that a JSON Schema asks for; they may still break a rule that it does not state plainly. */
function smallestOf(schema: Schema): JsonValue {
  const {
    type,
    const: constant,
    enum: choices,
    minimum = 0,
    exclusiveMinimum,
    properties = {},
    required = [],
  } = schema;
  if (constant !== undefined) return constant;
  if (Array.isArray(choices)) return choices[0] as JsonValue;
  if (type === 'string') return 'clay';
  if (type === 'boolean') return false;
  if (type === 'array') return [];
  if (type === 'number' || type === 'integer')
    return exclusiveMinimum === undefined ? minimum : Number(exclusiveMinimum) + 1;
  if (type !== 'object') return null;
  const names = required as readonly string[];
  return Object.fromEntries(
    names.map((name) => [name, smallestOf((properties as Record<string, Schema>)[name] ?? {})]),
  );
}

/** Calls each tool with what its schema asks for, and with nonsense. */
async function callAll(session: Session): Promise<void> {
  for (const tool of session.tools()) {
    const { inputSchema } = tool;
    for (const input of [smallestOf(inputSchema), {}, null, { noToolHasThisField: ['clay'] }]) {
      await tool.execute(input, { toolCallId: 'call-1' });
    }
  }
}

/** What a plugin's tools are like; a plugin without tools passes. */
export const toolCases: readonly PluginCase[] = [
  onPlugin(
    'describes its tools in the same words each time',
    'Tools stand in front of every prompt: other words make a provider read the whole of it anew.',
    async ({ open }) => {
      const definitionsOf = async (): Promise<readonly ToolDefinition[]> => {
        const { host } = await open();
        const tools = (await host.open('s')).tools();
        return tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
      };
      assertEqual(await definitionsOf(), await definitionsOf(), 'the tools of a second host');
    },
  ),
  onPlugin(
    'has tools that answer whenever they are called',
    'A model calls what it is offered, at any time and with any input that the schema lets through.',
    async ({ open, subject }) => {
      const { host, clock, failures } = await open();
      const [{ utterances = [] } = {}] = sampleConversations({ count: 1 });
      for (const said of [[], utterances]) {
        const session = await host.open(`s${said.length}`);
        await converse(session, said, { clock });
        await callAll(session);
      }
      await giveWay(1);
      const failed = failures.filter(({ by, where }) => by === subject.pluginName && where === 'tool');
      assertEqual([...new Set(failed.map(({ error }) => error))], [], 'what its tools failed with');
    },
  ),
];
