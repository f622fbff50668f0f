import { sample } from '../sample.ts';

export default sample({
  topic: 'Messages',
  title: 'A message that is delivered twice is taken once',
  why: 'Channels deliver again after every hiccup; answered twice, the agent seems drunk.',
  run: async ({ session }) => ({
    again: await session.ingest({ role: 'user', content: 'Good morning.' }, { key: 'telegram:81' }),
    next: await session.ingest({ role: 'user', content: 'Is the pier open?' }, { key: 'telegram:82' }),
  }),
});
