import type { NewEntry } from '../journal/entry.ts';
import type { JsonValue } from '../json-value.ts';
import { runTool } from '../plugins/run-tool.ts';
import type { ToolSet } from '../tool.ts';
import { createRun, plainFacts, type SessionRuntime } from './session-runtime.ts';

/** The tools of the host's plugins, bound to the session: what they record is stored with its next append. */
export function toolsOfSession(runtime: SessionRuntime): ToolSet {
  return runtime.tools.map((registered) =>
    Object.freeze({
      ...registered.definition,
      execute: async (input: unknown, { toolCallId, signal }) => {
        const records: NewEntry[] = [];
        const run = createRun(runtime, plainFacts(signal, records));
        const { output, isDone } = await runTool(registered, { input, toolCallId }, run);
        if (isDone) for (const record of records) runtime.journal.defer(record);
        return output;
      },
    } satisfies ToolSet[number]),
  );
}

/**
 * A request that counts what `session.turn` would send: the host's tools, and behind them those of plugins. One that the
 * host names itself, as a definition of `session.tools()` in any provider's shape, counts once.
 */
export function withPluginTools<Request extends { readonly tools?: readonly JsonValue[] | undefined }>(
  { tools: registered }: SessionRuntime,
  request: Request,
): Request {
  if (registered.length === 0) return request;
  const given = request.tools ?? [];
  const names = new Set(given.map(nameOfDefinition));
  const more = registered.map(({ definition }) => definition).filter(({ name }) => !names.has(name));
  return { ...request, tools: [...given, ...(more as unknown as readonly JsonValue[])] };
}

/** Some providers have the name one level deeper. */
function nameOfDefinition(tool: JsonValue): unknown {
  const { name, function: inner } = (tool ?? {}) as { readonly name?: unknown; readonly function?: unknown };
  return name ?? ((inner ?? {}) as { readonly name?: unknown }).name;
}
