import { sample } from '../sample.ts';

export default sample({
  topic: 'Messages',
  title: 'The first message begins a journal, and the first prompt holds it alone',
  why: 'A conversation that began with anything else would have to be explained to every reader of the journal.',
  run: async ({ session, model }) => {
    await session.ingest({ role: 'user', content: 'How deep is the lake?' });
    return { prompt: await session.assemble({ model: model.ref }) };
  },
});
