import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHost } from '@varve/core';
import { describePlugin } from '@varve/testkit/node-test';
import { lastTurns } from './index.js';

describePlugin('last-turns', lastTurns);

test('the last turns stay whole, what was before is under a digest, and nothing is lost', async () => {
  const model = { provider: 'test', model: 'test' };
  const host = await createHost({ plugins: [lastTurns({ turns: 3 })], budget: { inputTokens: 50_000 } });
  const session = await host.open('a');
  for (let turn = 1; turn <= 12; turn += 1) {
    await session.ingest({ role: 'user', content: `Question ${turn}: what is in core ${turn}?` });
    await session.ingest({
      role: 'assistant',
      content: `Answer ${turn}: clay, and ${turn} layers of silt. `.repeat(8),
    });
  }
  const { status } = await session.compact('threshold', { model });
  assert.equal(status, 'compacted');
  await session.ingest({ role: 'user', content: 'And now?' });
  const { messages } = await session.assemble({ model });
  const text = JSON.stringify(messages);
  for (const turn of [10, 11, 12]) assert.ok(text.includes(`Answer ${turn}: clay`), `turn ${turn} is whole`);
  assert.ok(!text.includes('Answer 2: clay'));
  await host.close();
});
