// node --conditions=@varve/source --import tsx plugins/summary-compaction/example.ts
import { createHost, type ModelPort } from '@varve/core';
import { summaryCompaction } from '@varve/plugin-summary-compaction';

const model = { provider: 'example', model: 'example-1' };

/** Stands in for a small model of a provider: it counts the cores that it reads of, and needs no network. */
const writer: ModelPort = {
  ref: { provider: 'example', model: 'small' },
  generate: async ({ prompt }) => {
    const [read = ''] = String(prompt.messages[0]?.content).split('What follows.');
    const cores = new Set(read.match(/core-\d+\.csv/g));
    const content = [
      '### Goal',
      '- Date the cores in data/lake-7.',
      '### Constraints and preferences',
      '- The user said: "Never change files under data/".',
      '### Files read',
      `- ${[...cores].map((core) => `data/lake-7/${core}`).join(', ')}`,
    ].join('\n');
    return { message: { role: 'assistant', content, stop: 'stop' }, usage: null };
  },
};

await using host = await createHost({
  budget: { contextTokens: 6_000 },
  plugins: [summaryCompaction({ models: [{ port: writer, contextTokens: 32_000 }] })],
});
const session = await host.open('example');
await session.ingest({ role: 'user', content: 'Date the cores in data/lake-7. Never change files under data/.' });
await session.ingest({ role: 'assistant', content: 'I will only read them.' });

for (let core = 1; core <= 18; core += 1) {
  await session.ingest({ role: 'user', content: `What is in data/lake-7/core-${core}.csv?` });
  const layers = `${'clay, silt, clay, sand. '.repeat(40)}The oldest layer is ${9_000 + core} years old.`;
  await session.ingest({ role: 'assistant', content: layers });
  const { status, tokensBefore, tokensAfter, entry } = await session.compact('threshold', { model });
  if (entry === null) continue;
  const { range, by, quality = 'as written' } = entry;
  console.log(
    `after core ${core}: ${status} #${range.from.seq} to #${range.to.seq} with ${by.model}, prose ${quality},`,
  );
  console.log(`  ${tokensBefore} → ${tokensAfter} tokens`);
}
await session.ingest({ role: 'user', content: 'Which core is the oldest?' });

const { messages, tokens } = await session.assemble({ model });
console.log(`the next prompt: ${messages.length} messages, ${tokens} tokens; it begins with\n`);
console.log(messages[0]?.content);
