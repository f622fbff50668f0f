import { type Tool, textOfOutput } from '@varve/core';
import type { PiTool } from './pi-api.ts';

/** A tool of a plugin as pi offers it to the model. What goes wrong is thrown: pi tells the model so. */
export function toPiTool({ name, description, inputSchema, execute }: Tool): PiTool {
  return {
    name,
    label: name,
    description,
    parameters: inputSchema,
    execute: async (toolCallId, input, signal) => {
      const output = await execute(input, { toolCallId, signal });
      const text = textOfOutput(output);
      if (output.type.startsWith('error')) throw new Error(text);
      return { content: [{ type: 'text', text }], details: {} };
    },
  };
}
