import { createHost, type Message } from '@varve/core';
import { expect, test } from 'vitest';

const model = { provider: 'test', model: 'test-1' };

const result = (toolCallId: string, value: string): Message => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId, toolName: 'read', output: { type: 'text', value } }],
});

test('a result without a call begins no turn: the running one is still that of the user', async () => {
  await using host = await createHost({ budget: { inputTokens: 1_000 } });
  const session = await host.open('s');
  const question: Message = { role: 'user', content: 'Which layer is the oldest?' };
  await session.ingest(question);
  await session.ingest({ role: 'assistant', content: 'clay '.repeat(300) });
  await session.ingest({ role: 'assistant', content: 'silt '.repeat(300) });
  await session.ingest(result('stray', 'sand '.repeat(2_000)));
  await session.ingest({ role: 'assistant', content: 'Hm.' });
  const { messages, manifest } = await session.assemble({ model });
  expect(messages).toContainEqual(question);
  expect(manifest.entries[0]).toMatchObject({ kind: 'kept' });
  expect(manifest.entries[3]).toMatchObject({ kind: 'parked' });
});
