import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createHost } from '@varve/core';
import { describeStore } from '@varve/testkit/node-test';
import { openSubject } from '../src/check.ts';
import { templateStore } from '../src/index.ts';

describeStore('templateStore by its contract', openSubject);

describe('templateStore', () => {
  it('keeps a conversation for the next host', async () => {
    const store = templateStore();
    const first = await createHost({ store });
    const session = await first.open('test');
    await session.ingest({ role: 'user', content: 'Hello.' });
    await session.close();
    const again = await first.open('test');
    assert.equal(again.view.messages().length, 1);
    await first.close();
  });
});
