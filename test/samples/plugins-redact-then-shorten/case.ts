import { redact, shorten } from '../plugins-in-order.ts';
import { sample } from '../sample.ts';

export default sample({
  topic: 'Plugins and engines',
  title: 'Plugins work in the order of the list: redacted first, a text is shortened without its secret',
  why: 'Each plugin is right by itself; which one comes first decides whether a secret is cut in two and slips through.',
  plugins: [redact(), shorten()],
  run: async ({ session }) => ({
    entry: await session.ingest({ role: 'user', content: 'The code is heron-4711, tell nobody.' }),
  }),
});
