import { sample } from '../sample.ts';

export default sample({
  topic: 'Branches, forks and forgetting',
  title: 'The head goes back to what was left, and the way that was tried is off the path in turn',
  why: 'A branch that cannot be left again is a rewind that nobody asked for.',
  run: async ({ session, model, id }) => {
    await session.moveHead(id(4), { reason: 'restore' });
    await session.ingest({ role: 'user', content: 'North it is.' });
    return { prompt: await session.assemble({ model: model.ref }) };
  },
});
