import { sample } from '../sample.ts';

export default sample({
  topic: 'Calls and results',
  title: 'A result without a call is shown as text and not lost',
  why: 'Imported and damaged conversations have such results; sent as results, they would be refused.',
  run: async ({ session, model }) => ({ prompt: await session.assemble({ model: model.ref }) }),
});
