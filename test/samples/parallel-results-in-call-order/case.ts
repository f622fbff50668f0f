import { sample } from '../sample.ts';

export default sample({
  topic: 'Calls and results',
  title: 'Results of parallel calls stand in the order of the calls, however they came in',
  why: 'Providers refuse results that do not follow their calls, and tools end in any order.',
  run: async ({ session, model }) => ({ prompt: await session.assemble({ model: model.ref }) }),
});
