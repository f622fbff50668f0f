import { sample } from '../sample.ts';

export default sample({
  topic: 'Journals as they are found',
  title: 'An entry of a later format whose message can be read is read',
  why: 'After an update that was taken back, conversations have to go on.',
  run: async ({ session, model }) => ({ prompt: await session.assemble({ model: model.ref }) }),
});
