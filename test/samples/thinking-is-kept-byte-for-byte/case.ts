import { sample } from '../sample.ts';

export default sample({
  topic: 'Messages',
  title: 'Reasoning and its signature stay with their call, as they came',
  why: 'A provider refuses reasoning whose signature does not fit, and a call whose reasoning is gone.',
  run: async ({ session, model }) => ({ prompt: await session.assemble({ model: model.ref }) }),
});
