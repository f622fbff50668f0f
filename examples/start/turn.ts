import { createHost, type ModelPort } from '@varve/core';

// Stands in for a provider. A real port is one line: anthropicModel(client, 'claude-sonnet-5-5').
const model: ModelPort = {
  ref: { provider: 'test', model: 'echo' },
  generate: async ({ prompt }) => ({
    message: { role: 'assistant', content: `I was shown ${prompt.messages.length} messages.`, stop: 'stop' },
    usage: null,
  }),
};
const host = await createHost();
const session = await host.open('the-lake');
for (const content of ['Which river feeds the lake?', 'And which one leaves it?']) {
  const { text, status } = await session.turn({ message: { role: 'user', content }, model });
  console.log(`${status}: ${text}`);
}
