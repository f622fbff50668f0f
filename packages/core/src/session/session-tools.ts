import type { NewEntry } from '../journal/entry.ts';
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
