import { z } from 'zod';
import { deepFreeze } from '../deep-freeze.ts';
import { messageOfError, VarveError } from '../errors.ts';
import type { JsonValue } from '../json-value.ts';
import type { ToolDefinition } from '../tool.ts';
import type { Milliseconds } from '../units.ts';
import type { PluginTool } from './plugin-tool.ts';

/** How long a call of a tool may take unless the tool says otherwise. */
export const defaultToolDeadlineMs: Milliseconds = 120_000;

/** A tool of a plugin, checked, with the plugin that offers it. */
export interface RegisteredTool {
  readonly plugin: string;
  readonly definition: ToolDefinition;
  readonly deadlineMs: Milliseconds;
  readonly tool: PluginTool<unknown>;
}

/** The tools that a host's plugins offer, in the order of the plugins and, in a plugin, as they were written. */
export interface ToolRegistry {
  /**
   * Adds what a plugin offers.
   *
   * @throws VARVE_TOOL_INVALID  for a name, description, schema or deadline that no tool can have;
   *   VARVE_TOOL_DUPLICATE for a name that another plugin's tool has.
   */
  add(plugin: string, tools: unknown): void;
  readonly tools: readonly RegisteredTool[];
}

/** Makes an empty registry. */
export function createToolRegistry(): ToolRegistry {
  const tools = new Map<string, RegisteredTool>();
  return {
    add: (plugin, given) => {
      if (typeof given !== 'object' || given === null) {
        throw new VarveError('VARVE_TOOL_INVALID', `Plugin "${plugin}": its tools are ${typeName(given)}.`, {
          fix: 'Give tools as { name: { description, input, execute } }, or a function of the options that returns that.',
        });
      }
      for (const [name, tool] of Object.entries(given)) {
        const other = tools.get(name);
        if (other !== undefined) throw duplicate(name, [other.plugin, plugin]);
        tools.set(name, register(tool, { plugin, name }));
      }
    },
    get tools() {
      return [...tools.values()];
    },
  };
}

function register(
  given: unknown,
  { plugin, name }: { readonly plugin: string; readonly name: string },
): RegisteredTool {
  const refuse = (what: string, fix: string): never => {
    throw new VarveError('VARVE_TOOL_INVALID', `Plugin "${plugin}", tool "${name}": ${what}.`, {
      fix,
      details: { plugin, tool: name },
    });
  };
  const tool = (given ?? {}) as Partial<PluginTool<unknown>>;
  const { description, input, execute, deadlineMs = defaultToolDeadlineMs } = tool;
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
    refuse(
      'providers do not take that name',
      'Use 1 to 64 letters, digits, underscores and dashes, such as recall_notes.',
    );
  }
  if (typeof description !== 'string' || description.trim() === '') {
    refuse('it has no description', 'Tell the model in `description` what the tool does and when to use it.');
  }
  if (typeof execute !== 'function') {
    refuse('it has no `execute`', 'Give it execute(input, context), which returns a string or a tool output.');
  }
  if (!(typeof deadlineMs === 'number' && deadlineMs > 0)) {
    refuse(`its deadline is ${String(deadlineMs)}`, 'Give deadlineMs as a number of milliseconds above 0.');
  }
  const inputSchema = schemaOf(input, refuse);
  const definition = deepFreeze({ name, description: description as string, inputSchema });
  return { plugin, definition, deadlineMs, tool: tool as PluginTool<unknown> };
}

/** JSON Schema of the input, without the mark of its dialect: tokens that no provider asks for. */
function schemaOf(input: unknown, refuse: (what: string, fix: string) => never): ToolDefinition['inputSchema'] {
  if (typeof input !== 'object' || input === null || !('_zod' in input)) {
    return refuse(
      'its `input` is no zod schema',
      'Give a schema of zod 4, such as z.strictObject({ query: z.string() }).',
    );
  }
  const { $schema: _dialect, ...schema } = jsonSchemaOf(input as z.ZodType, refuse);
  const { type } = schema;
  if (type === 'object') return schema;
  return refuse(
    'its `input` describes no object',
    'Providers send an object: wrap the value, as in z.strictObject({ value: z.string() }).',
  );
}

function jsonSchemaOf(
  input: z.ZodType,
  refuse: (what: string, fix: string) => never,
): Record<string, JsonValue | undefined> & ToolDefinition['inputSchema'] {
  try {
    return JSON.parse(JSON.stringify(z.toJSONSchema(input, { io: 'input' })));
  } catch (error) {
    return refuse(
      `JSON Schema cannot describe its \`input\`: ${messageOfError(error)}`,
      'Use types that JSON has: a date as z.iso.datetime(), a set as z.array().',
    );
  }
}

function duplicate(name: string, [first, second]: readonly [string, string]): VarveError {
  const fix = `Remove one of the plugins "${first}" and "${second}", or give one of them another name for its tool.`;
  return new VarveError('VARVE_TOOL_DUPLICATE', `Plugins "${first}" and "${second}" both offer a tool "${name}".`, {
    fix,
    details: { tool: name, plugins: [first, second] },
  });
}

function typeName(value: unknown): string {
  return value === null ? 'null' : `of the type ${typeof value}`;
}
