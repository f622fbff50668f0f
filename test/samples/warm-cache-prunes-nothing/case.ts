import { ttlPruning } from '@varve/plugin-ttl-pruning';
import { sample } from '../sample.ts';

const trimming = { softTrimRatio: 0, keepLastAssistants: 1, softTrim: { maxChars: 100, headChars: 40, tailChars: 40 } };

export default sample({
  topic: 'Pruning',
  title: 'While the cache of the provider is warm, old results stay whole',
  why: 'Whoever changes the front of a cached prompt pays for all of it again.',
  plugins: [ttlPruning({ ttl: '5m', ...trimming })],
  run: async ({ session, model, clock }) => {
    await session.assemble({ model: model.ref });
    clock.advance(4 * 60_000);
    return { prompt: await session.assemble({ model: model.ref }) };
  },
});
