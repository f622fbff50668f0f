import { sample } from '../sample.ts';

export default sample({
  topic: 'Turns',
  title: 'A turn runs the tools that the model calls, and asks it again with their results',
  why: 'A call without its result is refused by every provider.',
  answers: [
    {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'list_boats', input: { pier: 'north' } }],
      stop: 'tool-calls',
    },
    'The Heron and the Teal.',
  ],
  run: async ({ session, model }) => {
    const listBoats = {
      name: 'list_boats',
      description: 'Lists the boats at a pier.',
      inputSchema: { type: 'object' },
      execute: async () => ({ type: 'text', value: 'Heron, Teal' }) as const,
    };
    const { status, steps } = await session.turn({
      message: { role: 'user', content: 'And at the north pier?' },
      model,
      tools: [listBoats],
    });
    return { status, toolCalls: steps.map((step) => step.toolCalls) };
  },
});
