import { sample } from '../sample.ts';

export default sample({
  topic: 'Compaction and recall',
  title: 'A compaction with a focus says in its summary what was asked for',
  why: 'Whoever reads the summary next, a model most of all, has to know what the user wanted kept.',
  run: async ({ session, model }) => {
    await session.compact('manual', { model: model.ref, instructions: 'the ferry and its radio' });
    return { prompt: await session.assemble({ model: model.ref }) };
  },
});
