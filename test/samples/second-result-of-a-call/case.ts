import { sample } from '../sample.ts';

export default sample({
  topic: 'Calls and results',
  title: 'A second result of one call does not stand beside the first one as a result',
  why: 'A tool that was run again after a crash answers twice, and a request with two results for a call is refused.',
  run: async ({ session, model }) => {
    const { messages } = await session.assemble({ model: model.ref });
    return { roles: messages.map(({ role }) => role), second: messages[3]?.content };
  },
});
