import { sample } from '../sample.ts';

export default sample({
  topic: 'Journals as they are found',
  title: 'An entry that follows one that is not there is read in the order of the journal',
  why: 'One damaged link would otherwise hide the whole conversation before it.',
  run: async ({ session, model }) => ({ prompt: await session.assemble({ model: model.ref }) }),
});
