import { sample } from '../sample.ts';

export default sample({
  topic: 'Budget and layers',
  title: 'Why the model did not know something is answered from what was recorded when it was asked',
  why: 'Asked of the session as it is today, the question gets an answer that was never true.',
  budget: { inputTokens: 35 },
  run: async ({ session, model }) => {
    await session.assemble({ model: model.ref });
    const { request, tokens, budget, entries } = await session.explain({ seq: 3 });
    return { request, tokens, budget, entries };
  },
});
