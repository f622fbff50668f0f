import { definePlugin, defineTool } from '@varve/core';
import { z } from 'zod';
import { sample } from '../sample.ts';

const gauge = definePlugin({
  name: 'gauge',
  version: '1.0.0',
  apiVersion: '^1.0.0',
  options: z.strictObject({}),
  tools: {
    read_gauge: defineTool({
      description: 'Reads the water level.',
      input: z.strictObject({ at: z.string() }),
      execute: async ({ at }: { readonly at: string }) => ({ type: 'text', value: `231 cm at ${at}` }),
    }),
  },
  apply: () => undefined,
});

export default sample({
  topic: 'Turns',
  title: 'A plugin brings tools of its own, and what they cost is taken off the budget',
  why: 'Tools that nobody counts are what overflows a window that was thought to fit.',
  plugins: [gauge()],
  budget: { inputTokens: 200 },
  answers: [
    {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'read_gauge', input: { at: 'the weir' } }],
      stop: 'tool-calls',
    },
    '231 cm.',
  ],
  run: async ({ session, model }) => {
    const { status, text } = await session.turn({ message: { role: 'user', content: 'Use it.' }, model });
    return { tools: session.tools().map(({ name }) => name), status, text };
  },
});
