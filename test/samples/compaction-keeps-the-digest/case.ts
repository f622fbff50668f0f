import { sample } from '../sample.ts';

export default sample({
  topic: 'Compaction and recall',
  title: 'A compaction keeps the task, the words of the user, and the facts, without asking any model',
  why: 'A summary that a model writes loses names, numbers and wishes, and nobody notices which.',
  run: async ({ session, model }) => {
    await session.compact('manual', { model: model.ref });
    return { prompt: await session.assemble({ model: model.ref }) };
  },
});
