import { ttlPruning } from '@varve/plugin-ttl-pruning';
import { sample } from '../sample.ts';

const trimming = { softTrimRatio: 0, keepLastAssistants: 1, softTrim: { maxChars: 100, headChars: 40, tailChars: 40 } };

export default sample({
  topic: 'Pruning',
  title: 'Once the cache of the provider has expired, long old results keep their head and tail',
  why: 'The prompt is paid for in full in any case, so this is the moment at which a smaller one costs nothing.',
  plugins: [ttlPruning({ ttl: '5m', ...trimming })],
  run: async ({ session, model, clock }) => {
    await session.assemble({ model: model.ref });
    clock.advance(6 * 60_000);
    return { prompt: await session.assemble({ model: model.ref }) };
  },
});
