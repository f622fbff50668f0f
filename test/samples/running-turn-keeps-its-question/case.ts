import { sample } from '../sample.ts';

export default sample({
  topic: 'Compaction and recall',
  title: 'A compaction inside a running turn holds the message that the turn answers',
  why: 'An agent that works long would forget what it was asked for, in the middle of it.',
  run: async ({ session, model }) => {
    await session.compact('manual', { model: model.ref });
    return { prompt: await session.assemble({ model: model.ref }) };
  },
});
