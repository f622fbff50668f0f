import { sample } from '../sample.ts';

export default sample({
  topic: 'Calls and results',
  title: 'A call whose result never came gets one that says so, in the prompt alone',
  why: 'A process that ended in the middle of a tool would otherwise leave a conversation that no provider takes.',
  run: async ({ session, model }) => ({ prompt: await session.assemble({ model: model.ref }) }),
});
