import { appendFileSync } from 'node:fs';
import type { ToolSet } from '@varve/core';

/** Tools that leave a line in a file for each call that they run: a second one for an id shows that it ran twice. */
export function effectTools(effects: string): ToolSet {
  const names = ['write', 'read', 'fail'] as const;
  return names.map((name) => ({
    name,
    description: `Does what "${name}" says.`,
    inputSchema: { type: 'object', properties: { length: { type: 'number' } } },
    execute: async (input, { toolCallId }) => {
      appendFileSync(effects, `${toolCallId}\n`);
      await new Promise(setImmediate);
      if (name === 'fail') throw new Error(`${toolCallId} came to nothing`);
      const { length } = input as { readonly length: number };
      return { type: 'text', value: `${toolCallId}: ${'log of the core '.repeat(length / 16)}` };
    },
  }));
}
