import { ttlPruning } from '@varve/plugin-ttl-pruning';
import { sample } from '../sample.ts';

const clearing = { softTrimRatio: 0, hardClearRatio: 0.5, minPrunableToolChars: 0, keepLastAssistants: 1 };

export default sample({
  topic: 'Pruning',
  title: 'Results are cleared from the oldest on, and no more of them than it takes',
  why: 'Everything that is cleared has to be read again when it is needed.',
  budget: { windowTokens: 200, inputTokens: 190 },
  plugins: [ttlPruning({ ttl: '5m', ...clearing })],
  run: async ({ session, model, clock }) => {
    await session.assemble({ model: model.ref });
    clock.advance(6 * 60_000);
    return { prompt: await session.assemble({ model: model.ref }) };
  },
});
