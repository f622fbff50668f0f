import { sample } from '../sample.ts';

export default sample({
  topic: 'Turns',
  title: 'Half an answer is shown as far as it came, and what it should have answered stays open',
  why: 'A question whose answer was cut off would be left out with the old ones, and never be answered.',
  budget: { inputTokens: 40 },
  run: async ({ session, model }) => ({ prompt: await session.assemble({ model: model.ref }) }),
});
