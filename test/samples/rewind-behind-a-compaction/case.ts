import { sample } from '../sample.ts';

export default sample({
  topic: 'Branches, forks and forgetting',
  title: 'A rewind to before a compaction shows again what it had covered',
  why: 'The summary would tell of things that, by now, have not happened.',
  run: async ({ session, model, id }) => {
    await session.compact('manual', { model: model.ref });
    await session.moveHead(id(4), { reason: 'rewind' });
    await session.ingest({ role: 'user', content: 'Leave the limit as it is.' });
    return { prompt: await session.assemble({ model: model.ref }) };
  },
});
