// node --conditions=@varve/source --import tsx plugins/legacy-engine/example.ts
import { createHost } from '@varve/core';
import { legacyEngine } from '@varve/plugin-legacy-engine';

const model = { provider: 'example', model: 'example-1' };

await using host = await createHost({ plugins: [legacyEngine()], engine: 'legacy' });
const session = await host.open('example');
await session.ingest({ role: 'system', content: 'You are a geologist.' });
await session.ingest({ role: 'user', content: 'What is a varve?' });
await session.ingest({ role: 'assistant', content: 'One layer of sediment, laid down in one season.' });
await session.ingest({ role: 'user', content: 'And two of them?' });

const prompt = await session.assemble({ model });
for (const { layer, text } of prompt.system) console.log(`[${layer}] ${text}`);
for (const { role, content } of prompt.messages) console.log(`[${role}] ${content}`);
console.log(`${prompt.tokens} tokens; ${prompt.manifest.entries.map(({ seq, kind }) => `#${seq} ${kind}`).join(', ')}`);
