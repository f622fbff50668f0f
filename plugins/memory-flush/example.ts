// node --conditions=@varve/source --import tsx plugins/memory-flush/example.ts
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost } from '@varve/core';
import { memoryFlush } from '@varve/plugin-memory-flush';

const dir = await mkdtemp(join(tmpdir(), 'varve-example-'));
const model = { provider: 'example', model: 'example-1' };

// Without a model, notes are taken from the digest.
await using host = await createHost({ plugins: [memoryFlush({ dir, timeZone: 'UTC' })] });
const session = await host.open('example', { key: 'agent:main:telegram:direct:user_123', identity: 'ada' });
await session.ingest({
  role: 'user',
  content: 'We decided to use PostgreSQL 16 for the ledger. Never write to the old one.',
});
await session.ingest({ role: 'assistant', content: 'Good: the new ledger is at db-7.example.com.' });
for (let core = 1; core <= 60; core += 1) {
  await session.ingest({ role: 'user', content: `Core ${core} is ${'clay, silt, '.repeat(60)}.` });
  await session.ingest({ role: 'assistant', content: 'Noted.' });
}
await session.compact('manual', { model });

const [day = ''] = await readdir(join(dir, 'memory'));
console.log(await readFile(join(dir, 'memory', day), 'utf8'));
await rm(dir, { recursive: true });
