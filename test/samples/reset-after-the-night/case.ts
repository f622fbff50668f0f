import { askReset } from '@varve/core/host';
import { resetPolicy } from '@varve/plugin-reset-policy';
import { sample } from '../sample.ts';

const hour = 60 * 60_000;

export default sample({
  topic: 'Commands, settings and policies',
  title: 'A conversation ends at the hour at which a day ends, and not before',
  why: 'Yesterday in front of every prompt costs money and confuses; an end in the middle of a talk confuses more.',
  plugins: [resetPolicy({ mode: 'daily', atHour: 4, timeZone: 'UTC' })],
  opening: { key: 'agent:main:telegram:direct:ada', channel: 'telegram', chatType: 'direct' },
  run: async ({ session, clock }) => {
    await session.ingest({ role: 'user', content: 'How is the lake tonight?' });
    const before = await askReset(session);
    clock.advance(24 * hour);
    return { before, after: await askReset(session) };
  },
});
