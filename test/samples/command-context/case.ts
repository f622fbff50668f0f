import { sample } from '../sample.ts';

export default sample({
  topic: 'Commands, settings and policies',
  title: '`/context` says how large the next prompt is and what fills it, and stores nothing',
  why: 'Whoever cannot see what fills a window can only guess when to compact.',
  run: async ({ session, model }) => ({
    reply: await session.command('/context', { model: model.ref, sender: { id: 'ada', role: 'owner' } }),
  }),
});
