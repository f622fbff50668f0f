// node --conditions=@varve/source --import tsx plugins/preset-strata/example.ts
import { createHost } from '@varve/core';
import { strata } from '@varve/preset-strata';

const model = { provider: 'example', model: 'example-1' };

await using host = await createHost({ budget: { inputTokens: 4_000 }, plugins: [...strata()] });
const session = await host.open('example');

await session.ingest({ role: 'user', content: 'The gauge of pier 7 is called GAUGE-7731. Log what I tell you.' });
for (let day = 1; day <= 60; day += 1) {
  await session.ingest({ role: 'assistant', content: `Day ${day} is logged.` });
  await session.ingest({
    role: 'user',
    content: `Day ${day}: ${'the tide came in and went out again, '.repeat(8)}calm.`,
  });
  await session.compact('threshold', { model });
}
await session.ingest({ role: 'user', content: 'What is the gauge of pier 7 called?' });

const { tokens, manifest, messages } = await session.assemble({ model });
const isThere = JSON.stringify(messages).includes('GAUGE-7731');
console.log(`${host.plugins.map(({ name }) => name).join(', ')}`);
console.log(`${manifest.entries.length} messages visible, ${tokens} tokens, the name is ${isThere ? 'there' : 'gone'}`);
