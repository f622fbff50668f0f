import { ChatOpenAI } from '@langchain/openai';
import { varveMiddleware } from '@varve/adapters/langchain';
import { createHost } from '@varve/core';
import { strata } from '@varve/preset-strata';
import { answer, startModelServer } from '@varve/testkit/model-server';
import { createAgent, tool } from 'langchain';
import { z } from 'zod';

const pages = 30;
let page = 0;

// Stands for a provider: a model that reads page after page, behind a window of 8 000 tokens.
await using server = await startModelServer({
  provider: 'openai',
  contextTokens: 8_000,
  script: () => {
    page += 1;
    return page > pages ? 'I have read it all.' : answer([{ type: 'tool-call', name: 'read', input: { page } }]);
  },
});
await using host = await createHost({ plugins: [...strata()], budget: { windowTokens: 8_000 } });
const session = await host.open('reader');

const read = tool(({ page: number }) => `Page ${number}. ${'The tide came in and went out again. '.repeat(50)}`, {
  name: 'read',
  schema: z.object({ page: z.number() }),
});
const agent = createAgent({
  model: new ChatOpenAI({ model: 'reader-1', apiKey: 'none', configuration: { baseURL: server.url } }),
  tools: [read],
  middleware: [varveMiddleware({ session })],
});
const question = 'Read the log. Never write down the name of the keeper.';
const { messages } = await agent.invoke({ messages: [{ role: 'user', content: question }] }, { recursionLimit: 100 });

const sizes = server.requests.map(({ inputTokens }) => inputTokens);
const isThere = JSON.stringify(server.requests.at(-1)?.body).includes(question);
console.log(`${messages.at(-1)?.text} ${sizes.length} requests, none above ${Math.max(...sizes)} tokens.`);
console.log(`What was asked for is ${isThere ? 'still there' : 'gone'}.`);
