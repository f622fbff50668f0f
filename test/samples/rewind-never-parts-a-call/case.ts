import { sample } from '../sample.ts';

export default sample({
  topic: 'Branches, forks and forgetting',
  title: 'A rewind to the middle of a call and its results goes to the end of them',
  why: 'A prompt that ends with some of the results of a call, and not with the others, is refused.',
  run: async ({ session, model, id }) => {
    await session.moveHead(id(3), { reason: 'rewind' });
    await session.ingest({ role: 'user', content: 'Well?' });
    return { prompt: await session.assemble({ model: model.ref }) };
  },
});
