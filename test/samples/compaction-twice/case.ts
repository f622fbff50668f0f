import { sample } from '../sample.ts';

const log = Array.from(
  { length: 16 },
  (_, hour) => `${hour}:00 pier 4: the Teal lies there, nobody on board, all quiet.`,
);

export default sample({
  topic: 'Compaction and recall',
  title: 'A second compaction stands for what the first one stood for, too, and the task stays the first one',
  why: 'A summary of a summary of a summary knows nothing of the beginning any more.',
  run: async ({ session, model }) => {
    await session.compact('manual', { model: model.ref });
    await session.ingest({ role: 'assistant', content: log.join(' ') });
    await session.ingest({ role: 'user', content: 'Thanks. Call her owner.' });
    await session.compact('manual', { model: model.ref });
    return { prompt: await session.assemble({ model: model.ref }) };
  },
});
