import { sample } from '../sample.ts';

export default sample({
  topic: 'Budget and layers',
  title: 'Sizes that another counter has measured are measured anew',
  why: 'Two rulers in one sum make a budget that nobody keeps.',
  run: async ({ session, model }) => ({ prompt: await session.assemble({ model: model.ref }) }),
});
