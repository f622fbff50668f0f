import { sample } from '../sample.ts';

export default sample({
  topic: 'Turns',
  title: 'A call of a tool that is not there gets a result that says so',
  why: 'Models call tools that were there an hour ago, and an answer without a result cannot be sent again.',
  answers: [
    {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'fog_horn', input: {} }],
      stop: 'tool-calls',
    },
    'There is no fog horn here.',
  ],
  run: async ({ session, model }) => {
    const { status } = await session.turn({ message: { role: 'user', content: 'Sound the horn.' }, model });
    return { status };
  },
});
