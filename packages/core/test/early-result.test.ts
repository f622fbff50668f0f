import { createHost, type Message, memoryStore } from '@varve/core';
import { expect, test } from 'vitest';

const model = { provider: 'test', model: 'test-1' };

function result(value: string): Message {
  const output = { type: 'text', value } as const;
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'read', output }] };
}

const call = { type: 'tool-call', toolCallId: 'a', toolName: 'read', input: {} } as const;

test('a result that stands before its call gives way to one behind it, also in a session that saw them come', async () => {
  const store = memoryStore();
  const messages: readonly Message[] = [
    { role: 'user', content: 'Read it.' },
    result('of an earlier call'),
    { role: 'assistant', content: [call] },
    result('of this call'),
  ];
  const host = await createHost({ store });
  const session = await host.open('s');
  for (const message of messages) {
    await session.ingest(message);
    await session.assemble({ model });
  }
  const before = await session.assemble({ model, dryRun: true });
  expect(before.messages.slice(-2)).toEqual([{ role: 'assistant', content: [call] }, result('of this call')]);
  await host.close();
  await using later = await createHost({ store });
  const after = await (await later.open('s')).assemble({ model, dryRun: true });
  expect(after.messages).toEqual(before.messages);
});

test('half an answer goes when the result behind it finds its call, also in a session that saw them come', async () => {
  const half: Message = { role: 'assistant', content: 'I wi', stop: 'aborted' };
  const said: readonly Message[] = [{ role: 'user', content: 'Read it.' }, half, result('of what?')];
  const asking: Message = { role: 'assistant', content: [call] };
  const grown = await (await createHost()).open('grown');
  for (const message of said) await grown.ingest(message);
  const before = await grown.assemble({ model });
  expect(before.messages).toContainEqual(half);
  await grown.ingest(asking);
  const whole = await (await createHost()).open('whole');
  for (const message of [...said, asking]) await whole.ingest(message);
  const { messages } = await grown.assemble({ model });
  expect(messages).toEqual([said[0], asking, said[2]]);
  expect((await whole.assemble({ model })).messages).toEqual(messages);
});
