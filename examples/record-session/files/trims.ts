import { createHost, definePlugin, type Entry, memoryStore } from '@varve/core';

const model = { provider: 'anthropic', model: 'claude-sonnet-4-5' };
const appended: Entry[] = [];
const sizes: number[] = [];

/** Asks for a compaction as soon as the prompt is no longer roomy. */
const eager = definePlugin({
  name: 'acme/eager',
  version: '1.0.0',
  apiVersion: '^1.0.0',
  options: { '~standard': { version: 1, vendor: 'none', validate: (value) => ({ value }) } },
  apply: ({ hooks }) => {
    hooks.shouldCompact.tapPromise('when it gets tight', ({ level }) => level !== 'none');
  },
});

const host = await createHost({ store: memoryStore(), plugins: [eager()], budget: { inputTokens: 8_000 } });
const session = await host.open('long');
host.events.on('entry-appended', ({ entry }) => {
  appended.push(entry);
  if (entry.type === 'compaction') sizes.push(entry.seq - (entry.range.from.seq - 1));
});
for (let turn = 1; turn <= 200; turn += 1) {
  await session.ingest({ role: 'user', content: `Question ${turn}: ${'what about the next part of it? '.repeat(6)}` });
  await session.assemble({ model });
  await session.ingest({
    role: 'assistant',
    content: `Answer ${turn}: ${'this part does what the last one did. '.repeat(12)}`,
  });
  await session.compact('threshold', { model });
}
await session.close();
const count = (type: Entry['type']) => appended.filter((entry) => entry.type === type).length;
console.log(`entries ${appended.length}: messages ${count('message')}, requests ${count('request')}`);
console.log(`compactions, and so calls of trim(): ${count('compaction')}`);
console.log(`entries that lay in memory at each: ${sizes.join(', ')}`);
