import { askDelivery } from '@varve/core/host';
import { sendPolicy } from '@varve/plugin-send-policy';
import { sample } from '../sample.ts';

export default sample({
  topic: 'Commands, settings and policies',
  title: 'What a rule denies does not leave the session, whatever other rules allow',
  why: 'An agent that answers in a group it should only listen to cannot take it back.',
  plugins: [
    sendPolicy({
      rules: [
        { name: 'the-lake', action: 'allow', match: { channel: 'telegram' } },
        { name: 'listen-only', action: 'deny', match: { chatType: 'group' }, reason: 'Groups are listened to.' },
      ],
    }),
  ],
  opening: { key: 'agent:main:telegram:group:anglers', channel: 'telegram', chatType: 'group' },
  run: async ({ session }) => ({
    decision: await askDelivery(session, {
      sessionKey: 'agent:main:telegram:group:anglers',
      sessionId: session.sessionId,
      agentId: 'main',
      kind: 'reply',
      channel: 'telegram',
      chatType: 'group',
      recipient: 'anglers',
      addressed: 'mention',
      provenance: { kind: 'user' },
      text: 'Good morning.',
    }),
  }),
});
