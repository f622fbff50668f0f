import { createHost } from '@varve/core';
import { expect, test } from 'vitest';

const model = { provider: 'test', model: 'test-1' };

test('a compaction that was taken back cannot be taken back again, whatever is left', async () => {
  await using host = await createHost();
  const session = await host.open('s');
  const ids: string[] = [];
  for (const round of [1, 2]) {
    for (let n = 0; n < 6; n += 1) {
      await session.ingest({ role: 'user', content: `Question ${round}.${n}: ${'clay '.repeat(300)}` });
      await session.ingest({ role: 'assistant', content: 'Yes.' });
    }
    ids.push((await session.compact('manual', { model })).entry?.id ?? '');
  }
  const [first = '', second = ''] = ids;
  await expect(session.undo(first)).rejects.toThrow(/builds on it/);
  for (const id of [second, first]) {
    await session.undo(id);
    await expect(session.undo(id)).rejects.toMatchObject({
      code: 'VARVE_UNDO_ORDER',
      message: expect.stringContaining('undone already'),
    });
  }
});
