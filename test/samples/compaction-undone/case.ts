import { sample } from '../sample.ts';

export default sample({
  topic: 'Compaction and recall',
  title: 'A compaction that is taken back shows everything again, and what came later stays',
  why: 'Nobody dares to compact what cannot be had back.',
  run: async ({ session, model }) => {
    const { entry } = await session.compact('manual', { model: model.ref });
    await session.ingest({ role: 'user', content: 'Show me the whole log again.' });
    await session.undo(entry?.id ?? '');
    return { prompt: await session.assemble({ model: model.ref }) };
  },
});
