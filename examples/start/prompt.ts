import { createHost } from '@varve/core';

const host = await createHost();
const session = await host.open('the-lake');
await session.ingest({ role: 'user', content: 'Which river feeds the lake?' });
const { messages, tokens } = await session.assemble({ model: { provider: 'anthropic', model: 'claude-sonnet-5-5' } });
console.log(messages, `${tokens} tokens`);
