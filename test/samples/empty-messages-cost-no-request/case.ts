import { sample } from '../sample.ts';

export default sample({
  topic: 'Messages',
  title: 'Messages without content are in the journal and not in the prompt',
  why: 'Providers refuse empty messages, and a conversation that once held one could never go on.',
  run: async ({ session, model }) => ({ prompt: await session.assemble({ model: model.ref }) }),
});
