import { sample } from '../sample.ts';

export default sample({
  topic: 'Compaction and recall',
  title: 'Where nothing lies before the newest message, a compaction has nothing to do',
  why: 'A summary of nothing costs tokens, and takes the place of what was really said.',
  run: async ({ session, model }) => ({ outcome: await session.compact('manual', { model: model.ref }) }),
});
