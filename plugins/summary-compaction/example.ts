// node --conditions=@varve/source --import tsx plugins/summary-compaction/example.ts
import { createHost } from '@varve/core';
import { summaryCompaction } from '@varve/plugin-summary-compaction';

const model = { provider: 'example', model: 'example-1' };

await using host = await createHost({ budget: { contextTokens: 4_000 }, plugins: [summaryCompaction()] });
const session = await host.open('example');
await session.ingest({ role: 'user', content: 'Date the cores in data/lake-7. Never change files under data/.' });
await session.ingest({ role: 'assistant', content: 'I will only read them.' });

for (let core = 1; core <= 12; core += 1) {
  await session.ingest({ role: 'user', content: `What is in data/lake-7/core-${core}.csv?` });
  const layers = `${'clay, silt, clay, sand. '.repeat(40)}The oldest layer is ${9_000 + core} years old.`;
  await session.ingest({ role: 'assistant', content: layers });
  const { status, tokensBefore, tokensAfter, entry } = await session.compact('threshold', { model });
  if (entry === null) continue;
  const { from, to } = entry.range;
  console.log(`after core ${core}: ${status} #${from.seq} to #${to.seq}, ${tokensBefore} → ${tokensAfter} tokens`);
}
await session.ingest({ role: 'user', content: 'Which core is the oldest?' });

const { messages, tokens } = await session.assemble({ model });
console.log(`the next prompt: ${messages.length} messages, ${tokens} tokens; it begins with\n`);
console.log(messages[0]?.content);
