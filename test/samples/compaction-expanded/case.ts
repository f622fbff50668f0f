import { sample } from '../sample.ts';

export default sample({
  topic: 'Compaction and recall',
  title: 'What a compaction covers can be read, whole',
  why: 'A summary that replaces what it summarises is a loss; one that stands in front of it is a view.',
  run: async ({ session, model }) => {
    const { entry } = await session.compact('manual', { model: model.ref });
    const covered = [];
    for await (const one of session.expand(entry?.id ?? '')) covered.push(one);
    return { covered };
  },
});
