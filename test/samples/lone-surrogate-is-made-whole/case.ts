import { toAnthropic } from '@varve/adapters/anthropic';
import { sample } from '../sample.ts';

export default sample({
  topic: 'Messages',
  title: 'Half a character, as a text ends with that was cut, is kept as it came and sent as a whole one',
  why: 'A lone surrogate is no Unicode: a request that holds one is refused, and so is every request after it.',
  run: async ({ session, model }) => {
    await session.ingest({ role: 'user', content: 'And one more: \ud83e' });
    const prompt = await session.assemble({ model: model.ref });
    return { sent: toAnthropic(prompt, { model: 'pilot' }).messages };
  },
});
