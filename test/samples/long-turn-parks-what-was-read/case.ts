import { sample } from '../sample.ts';

export default sample({
  topic: 'Budget and layers',
  title: 'A running turn that grows too long has results shortened that the model has answered, never the newest',
  why: 'An agent that works for hours in one turn would otherwise end with a prompt that is too large.',
  budget: { inputTokens: 200 },
  run: async ({ session, model }) => ({ prompt: await session.assemble({ model: model.ref }) }),
});
