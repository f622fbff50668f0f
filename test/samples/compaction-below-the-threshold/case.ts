import { summaryCompaction } from '@varve/plugin-summary-compaction';
import { sample } from '../sample.ts';

export default sample({
  topic: 'Compaction and recall',
  title: 'A compaction that is not due does not happen, and says so',
  why: 'Each one rewrites the front of the prompt, which caches pay for.',
  plugins: [summaryCompaction()],
  budget: { inputTokens: 100 },
  run: async ({ session, model }) => ({ outcome: await session.compact('threshold', { model: model.ref }) }),
});
