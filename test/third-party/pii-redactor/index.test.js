import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHost } from '@varve/core';
import { describePlugin } from '@varve/testkit/node-test';
import { piiRedactor } from './index.js';

describePlugin('pii-redactor', piiRedactor);

test('what is personal never reaches the journal', async () => {
  const host = await createHost({ plugins: [piiRedactor()] });
  const session = await host.open('a');
  await session.ingest({ role: 'user', content: 'I am ada@example.org, +49 171 5550123, card 4111 1111 1111 1111.' });
  const { messages } = await session.assemble({ model: { provider: 'test', model: 'test' } });
  assert.equal(messages[0].content, 'I am [email], [phone], card [card].');
  await host.close();
});

test('a number that is no card number stays', async () => {
  const host = await createHost({ plugins: [piiRedactor({ kinds: ['card'] })] });
  const session = await host.open('a');
  await session.ingest({ role: 'user', content: 'Order 4111 1111 1111 1112, ada@example.org.' });
  const { messages } = await session.assemble({ model: { provider: 'test', model: 'test' } });
  assert.equal(messages[0].content, 'Order 4111 1111 1111 1112, ada@example.org.');
  await host.close();
});
