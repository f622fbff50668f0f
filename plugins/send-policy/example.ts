// node --conditions=@varve/source --import tsx plugins/send-policy/example.ts
import { createHost, type Delivery } from '@varve/core';
import { askDelivery } from '@varve/core/host';
import { sendPolicy } from '@varve/plugin-send-policy';

const model = { provider: 'example', model: 'example-1' };
const policy = sendPolicy({
  rules: [
    { action: 'deny', match: { chatType: 'group', addressed: 'any' }, reason: 'Nobody spoke to the agent.' },
    { action: 'deny', match: { kind: 'announcement', during: { from: '22:00', to: '07:00' } }, name: 'night' },
  ],
  timeZone: 'UTC',
});

await using host = await createHost({
  clock: { now: () => Date.UTC(2026, 0, 7, 23), after: () => () => undefined },
  plugins: [policy],
});
const session = await host.open('example');

const ask = async (what: string, given: Partial<Delivery>): Promise<void> => {
  const { allow, reason } = await askDelivery(session, {
    sessionKey: 'agent:main:telegram:group:pier-7',
    sessionId: session.sessionId,
    agentId: 'main',
    kind: 'reply',
    channel: 'telegram',
    chatType: 'group',
    recipient: 'pier-7',
    addressed: 'mention',
    provenance: { kind: 'user' },
    ...given,
  });
  console.log(`${what}: ${allow ? 'leaves' : 'stays'}. ${reason}`);
};
await ask('an answer to a mention', {});
await ask('an answer to nobody in particular', { addressed: 'any' });
await ask('an announcement at night', { kind: 'announcement', addressed: null, provenance: { kind: 'subagent' } });

const reply = await session.command('/send off for 2h', { model, sender: { id: 'anna', role: 'owner' } });
console.log(`/send off for 2h: ${reply?.text ?? ''}`);
await ask('an answer to a mention', {});
