import { sample } from '../sample.ts';

export default sample({
  topic: 'Branches, forks and forgetting',
  title: 'A moved head lets what follows continue from there; the other way stays in the journal and out of prompts',
  why: 'Trying something else must not mean to lose what was tried first.',
  run: async ({ session, model, id }) => {
    await session.moveHead(id(2), { reason: 'branch' });
    await session.ingest({ role: 'user', content: 'South, for the harbour inn.' });
    return { prompt: await session.assemble({ model: model.ref }) };
  },
});
