import { createHost } from '@varve/core';

const model = { provider: 'anthropic', model: 'claude-sonnet-4-5' };
const host = await createHost({ budget: { inputTokens: 4_000 } });
const session = await host.open('cut');
console.log('request  tokens  kept  dropped  first changed byte');
for (let turn = 1; turn <= 60; turn += 1) {
  await session.ingest({ role: 'user', content: `Question ${turn}: ${'what about the next part of it? '.repeat(6)}` });
  const { tokens, manifest } = await session.assemble({ model });
  await session.ingest({
    role: 'assistant',
    content: `Answer ${turn}: ${'this part does what the last one did. '.repeat(8)}`,
  });
  const dropped = manifest.entries.filter(({ kind }) => kind === 'dropped').length;
  if (turn <= 24) continue;
  const row = [
    manifest.request,
    tokens,
    manifest.entries.length - dropped,
    dropped,
    manifest.firstChangedByte ?? 'none',
  ];
  console.log(row.map((cell, index) => String(cell).padStart([7, 8, 6, 9, 20][index] ?? 0)).join(''));
}
await host.close();
