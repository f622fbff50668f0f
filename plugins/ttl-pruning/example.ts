// node --conditions=@varve/source --import tsx plugins/ttl-pruning/example.ts
import { createHost, nameOfAction } from '@varve/core';
import { ttlPruning } from '@varve/plugin-ttl-pruning';

const model = { provider: 'example', model: 'example-1' };
let now = Date.UTC(2026, 0, 1);

await using host = await createHost({
  clock: { now: () => now, after: () => () => undefined },
  budget: { contextTokens: 48_000 },
  plugins: [ttlPruning({ mode: 'auto', prices: 'anthropic-5m' })],
});
const session = await host.open('example');

for (let core = 1; core <= 8; core += 1) {
  const log = `core ${core}: clay, silt, clay, silt\n`.repeat(260);
  await session.ingest({ role: 'user', content: `Read the log of core ${core}.` });
  await session.assemble({ model }); // fills the provider's cache
  await session.ingest({
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: `${core}`, toolName: 'read', input: { core } }],
  });
  await session.ingest({
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: `${core}`, toolName: 'read', output: { type: 'text', value: log } }],
  });
  await session.ingest({ role: 'assistant', content: 'Read.' });
}
await session.ingest({ role: 'user', content: 'What do they have in common?' });

const ask = async (when: string): Promise<void> => {
  const { tokens, manifest } = await session.assemble({ model });
  const pruned = manifest.entries.filter((entry) => entry.kind !== 'kept');
  const actions = manifest.actions.map(nameOfAction).join(', ') || 'nothing';
  console.log(`${when}: ${tokens} tokens, ${pruned.length} results pruned; changed since the last request: ${actions}`);
};
await ask('warm cache');
now += 6 * 60_000;
await ask('6 minutes later');
now += 10_000;
await ask('10 seconds later');
