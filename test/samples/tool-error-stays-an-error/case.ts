import { sample } from '../sample.ts';

export default sample({
  topic: 'Calls and results',
  title: 'A result that is an error is sent as an error',
  why: 'A model that takes a failure for an answer goes on as if the thing had been done.',
  run: async ({ session, model }) => ({ prompt: await session.assemble({ model: model.ref }) }),
});
