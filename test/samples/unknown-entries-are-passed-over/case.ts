import { sample } from '../sample.ts';

export default sample({
  topic: 'Journals as they are found',
  title: 'An entry of a type that is not known is kept and passed over',
  why: 'A journal that a newer version has written must still be read by an older one.',
  run: async ({ session, model }) => ({ prompt: await session.assemble({ model: model.ref }) }),
});
