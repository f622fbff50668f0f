import { summaryCompaction } from '@varve/plugin-summary-compaction';
import { sample } from '../sample.ts';

export default sample({
  topic: 'Compaction and recall',
  title: 'A prompt over the hard limit is compacted below the target, before it is sent',
  why: 'Cut to the window instead, it would lose the oldest part without a trace.',
  plugins: [summaryCompaction()],
  budget: { inputTokens: 460 },
  run: async ({ session, model }) => {
    const { status, tokensBefore, tokensAfter } = await session.compact('threshold', { model: model.ref });
    return { status, tokensBefore, tokensAfter, prompt: await session.assemble({ model: model.ref }) };
  },
});
