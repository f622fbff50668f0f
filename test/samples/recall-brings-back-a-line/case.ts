import { recall } from '@varve/plugin-recall';
import { sample } from '../sample.ts';

export default sample({
  topic: 'Compaction and recall',
  title: 'After a compaction, what a question needs comes back as a note, and the note stays where it was added',
  why: 'Recall that moves along with every question changes the prompt in front of its end, and no cache holds.',
  plugins: [recall()],
  budget: { inputTokens: 1000 },
  run: async ({ session, model }) => {
    await session.compact('manual', { model: model.ref });
    await session.ingest({ role: 'user', content: 'On which side of the door are the oars?' });
    await session.assemble({ model: model.ref });
    await session.ingest({ role: 'assistant', content: 'On the left.' });
    await session.ingest({ role: 'user', content: 'Thanks!' });
    return { prompt: await session.assemble({ model: model.ref }) };
  },
});
