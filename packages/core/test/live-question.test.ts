import { createHost, type Message } from '@varve/core';
import { expect, test } from 'vitest';

const model = { provider: 'test', model: 'test-1' };

test('what the user asked stays, although results without a call follow it that take all the room', async () => {
  const asked: Message = { role: 'user', content: `Which of them is right? ${'clay '.repeat(60)}` };
  await using host = await createHost({ budget: { inputTokens: 700 } });
  const session = await host.open('s');
  for (let n = 0; n < 6; n += 1) {
    await session.ingest({ role: 'user', content: `Question ${n}. ${'silt '.repeat(40)}` });
    await session.ingest({ role: 'assistant', content: `Answer ${n}. ${'silt '.repeat(40)}` });
  }
  await session.ingest(asked);
  for (const id of ['a', 'b']) {
    const output = { type: 'text', value: `${id}: ${'sand '.repeat(800)}` } as const;
    const part = { type: 'tool-result', toolCallId: id, toolName: 'read', output } as const;
    await session.ingest({ role: 'tool', content: [part] });
  }
  const { messages, manifest } = await session.assemble({ model });
  expect(messages).toContainEqual(asked);
  expect(manifest.entries.slice(-3).map(({ kind }) => kind)).toEqual(['kept', 'parked', 'parked']);
});
