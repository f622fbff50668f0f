import { redact, shorten } from '../plugins-in-order.ts';
import { sample } from '../sample.ts';

export default sample({
  topic: 'Plugins and engines',
  title: 'Plugins work in the order of the list: shortened first, a text keeps half of its secret',
  why: 'The other order of the same two plugins: order is part of what a host decides, and nothing else decides it.',
  plugins: [shorten(), redact()],
  run: async ({ session }) => ({
    entry: await session.ingest({ role: 'user', content: 'The code is heron-4711, tell nobody.' }),
  }),
});
