import { sample } from '../sample.ts';

export default sample({
  topic: 'Turns',
  title: 'A tool that throws gives the model a result that says what went wrong, and the turn goes on',
  why: 'One broken tool would end every turn that touches it.',
  answers: [
    {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'depth', input: {} }],
      stop: 'tool-calls',
    },
    'The sounder is broken.',
  ],
  run: async ({ session, model }) => {
    const depth = {
      name: 'depth',
      description: 'Measures the depth.',
      inputSchema: { type: 'object' },
      execute: async () => {
        throw new Error('No echo.');
      },
    };
    const { status, text } = await session.turn({
      message: { role: 'user', content: 'How deep is it here?' },
      model,
      tools: [depth],
    });
    return { status, text };
  },
});
