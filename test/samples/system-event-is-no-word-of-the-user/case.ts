import { sample } from '../sample.ts';

export default sample({
  topic: 'Compaction and recall',
  title: 'What a program says in the place of the user is not quoted as the words of the user',
  why: 'A summary that ascribes to the user what a gauge has said makes the agent obey the gauge.',
  run: async ({ session, model }) => {
    await session.compact('manual', { model: model.ref });
    return { prompt: await session.assemble({ model: model.ref }) };
  },
});
