import { sample } from '../sample.ts';

export default sample({
  topic: 'Journals as they are found',
  title: 'Decisions about entries that are not there change nothing',
  why: 'An import that left entries out, or a journal that was cut, must not stop the conversation.',
  run: async ({ session, model }) => ({ prompt: await session.assemble({ model: model.ref }) }),
});
