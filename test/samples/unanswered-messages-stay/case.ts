import { sample } from '../sample.ts';

export default sample({
  topic: 'Turns',
  title: 'Messages that nobody has answered are all part of the running turn, and none is left out',
  why: 'Somebody who writes three short messages wants an answer to all three, not to the last.',
  budget: { inputTokens: 40 },
  run: async ({ session, model }) => {
    await session.ingest({ role: 'user', content: 'Answer both, please.' });
    return { prompt: await session.assemble({ model: model.ref }) };
  },
});
