import { z } from 'zod';
import { VarveError } from '../../errors.ts';
import type { JsonValue } from '../../json-value.ts';
import type { ToolOutput } from '../../message.ts';
import { runTool } from '../../plugins/run-tool.ts';
import { defaultToolDeadlineMs } from '../../plugins/tool-registry.ts';
import { requireJson } from '../../storable-json.ts';
import type { Tool, ToolDefinition, ToolSet } from '../../tool.ts';
import { createRun, plainFacts, type SessionRuntime } from '../session-runtime.ts';

/** A tool that the model may call in a turn, whose it is, and how it is run. */
interface TurnTool {
  readonly definition: ToolDefinition;
  readonly owner: string;
  /** @throws VARVE_ABORTED  as soon as the signal is aborted. */
  run(call: { readonly input: JsonValue; readonly toolCallId: string }, signal: AbortSignal): Promise<ToolOutput>;
}

/** The tools of a turn by their names: those of the host first. */
export type TurnTools = ReadonlyMap<string, TurnTool>;

/** Providers send an object; what could not be read as one is told to the model. */
const anyObject = z.custom<unknown>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'it is no JSON object',
);

/**
 * Puts the host's tools and those of its plugins together. A tool of `session.tools()` among the host's is the same one.
 *
 * @throws VARVE_TOOL_DUPLICATE  for two tools of one name; VARVE_OPTION_INVALID for a definition that is not JSON.
 */
export function toolsOfTurn(
  runtime: SessionRuntime,
  { given, ofPlugins }: { readonly given: ToolSet; readonly ofPlugins: ToolSet },
): TurnTools {
  const own = given.filter((tool) => !ofPlugins.includes(tool));
  const tools = new Map<string, TurnTool>();
  for (const tool of [
    ...own.map((one) => toolOfHost(runtime, one)),
    ...ofPlugins.map((one, at) => toolOfPlugin(one, runtime.tools[at]?.plugin ?? '')),
  ]) {
    const { name } = tool.definition;
    const other = tools.get(name);
    if (other !== undefined) throw duplicate(name, [other.owner, tool.owner]);
    tools.set(name, tool);
  }
  return tools;
}

/** A plugin's tool has its deadline, its checks and its context already. */
function toolOfPlugin(tool: Tool, plugin: string): TurnTool {
  return {
    definition: definitionOf(tool),
    owner: `plugin "${plugin}"`,
    run: ({ input, toolCallId }, signal) => tool.execute(input, { toolCallId, signal }),
  };
}

/** A tool of the host is run as those of plugins are, under the name `host`. */
function toolOfHost(runtime: SessionRuntime, tool: Tool): TurnTool {
  const { deadlineMs = defaultToolDeadlineMs } = tool;
  const definition = definitionOf(tool);
  const { description } = definition;
  return {
    definition,
    owner: 'the host',
    run: async (call, signal) => {
      const execute = (input: unknown, context: { readonly toolCallId: string; readonly signal: AbortSignal }) =>
        tool.execute(input, { toolCallId: context.toolCallId, signal: context.signal });
      const registered = { plugin: 'host', definition, deadlineMs, tool: { description, input: anyObject, execute } };
      const { output } = await runTool(registered, call, createRun(runtime, plainFacts(signal, [])));
      return output;
    },
  };
}

function definitionOf({ name, description, inputSchema }: Tool): ToolDefinition {
  const definition = { name, description, inputSchema };
  const what = `The definition of the tool "${name}"`;
  return requireJson(definition, { code: 'VARVE_OPTION_INVALID', what }) as unknown as ToolDefinition;
}

function duplicate(name: string, owners: readonly [string, string]): VarveError {
  const [first, second] = owners;
  const both =
    first === second ? `${first} offers two tools "${name}"` : `${first} and ${second} both offer a tool "${name}"`;
  return new VarveError('VARVE_TOOL_DUPLICATE', `${both.charAt(0).toUpperCase()}${both.slice(1)}.`, {
    fix: 'Leave one of them out, or give it another name.',
    details: { tool: name, owners },
  });
}
