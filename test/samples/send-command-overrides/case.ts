import { sendPolicy } from '@varve/plugin-send-policy';
import { sample } from '../sample.ts';

export default sample({
  topic: 'Commands, settings and policies',
  title: '`/send off for 2h` is a setting of the session that ends by itself',
  why: 'An agent that is silenced for the afternoon must not stay silent for good.',
  plugins: [sendPolicy()],
  opening: { key: 'agent:main:telegram:direct:ada', channel: 'telegram', chatType: 'direct' },
  run: async ({ session, model, clock }) => {
    const sender = { id: 'ada', role: 'owner' } as const;
    const off = await session.command('/send off for 2h', { model: model.ref, sender });
    clock.advance(3 * 60 * 60_000);
    return { off, later: await session.command('/send', { model: model.ref, sender }) };
  },
});
