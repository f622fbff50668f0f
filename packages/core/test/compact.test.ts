import { createHost } from '@varve/core';
import { expect, test } from 'vitest';

const model = { provider: 'test', model: 'test-1' };

test('a compaction that makes the prompt fit is made, though what must stay is larger than the target', async () => {
  await using host = await createHost({ budget: { inputTokens: 4_000 } });
  const session = await host.open('s');
  for (let n = 0; n < 30; n += 1) {
    await session.ingest({ role: 'user', content: `Question ${n}: ${'clay '.repeat(60)}` });
    await session.ingest({ role: 'assistant', content: `Answer ${n}: ${'silt '.repeat(60)}` });
  }
  await session.ingest({ role: 'user', content: `Log: ${'varve '.repeat(1_800)}` });
  const { status, tokensAfter } = await session.compact('overflow', { model });
  expect(status).toBe('compacted');
  expect(tokensAfter).toBeGreaterThan(0.7 * 3_800);
  expect(tokensAfter).toBeLessThanOrEqual(3_800);
  expect((await session.assemble({ model })).manifest.actions).toEqual([]);
});
