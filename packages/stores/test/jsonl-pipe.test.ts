import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost } from '@varve/core';
import { examineStore, jsonlStore } from '@varve/stores/jsonl';
import { expect, test } from 'vitest';

test.skipIf(process.platform === 'win32')('an index that is a pipe holds nobody up', async () => {
  const root = await mkdtemp(join(tmpdir(), 'varve-pipe-'));
  const index = join(root, 'agents', 'main', 'sessions.jsonl');
  const use = async (): Promise<number> => {
    await using host = await createHost({ store: jsonlStore({ root }) });
    const session = await host.open('one');
    await session.ingest({ role: 'user', content: 'hello' });
    return (await host.sessions.list()).length;
  };
  expect(await use()).toBe(1);
  await rm(index);
  execFileSync('mkfifo', [index]);
  expect((await jsonlStore({ root }).sessions.list()).map(({ sessionId }) => sessionId)).toEqual(['one']);
  const codes: string[] = [];
  for await (const { code } of examineStore(root)) codes.push(code);
  expect(codes).toContain('examined');
  expect(await use()).toBe(1);
  await rm(root, { recursive: true });
});
