import { sample } from '../sample.ts';

export default sample({
  topic: 'Budget and layers',
  title: 'What does not fit is left out from the oldest on, calls with their results, never the running turn',
  why: 'A cut between a call and its result makes a prompt that is refused.',
  budget: { inputTokens: 50 },
  run: async ({ session, model }) => ({ prompt: await session.assemble({ model: model.ref }) }),
});
