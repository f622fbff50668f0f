import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { varveMiddleware } from '@varve/adapters/ai-sdk';
import { createHost } from '@varve/core';
import { strata } from '@varve/preset-strata';
import { answer, startModelServer } from '@varve/testkit/model-server';
import { generateText, stepCountIs, tool, wrapLanguageModel } from 'ai';
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

const model = wrapLanguageModel({
  model: createOpenAICompatible({ name: 'example', baseURL: server.url, apiKey: 'none' })('reader-1'),
  middleware: varveMiddleware({ session }),
});
const read = tool({
  inputSchema: z.object({ page: z.number() }),
  execute: ({ page: number }) => `Page ${number}. ${'The tide came in and went out again. '.repeat(50)}`,
});
const prompt = 'Read the log. Never write down the name of the keeper.';
const { text, steps } = await generateText({ model, prompt, tools: { read }, stopWhen: stepCountIs(pages + 1) });

const sizes = server.requests.map(({ inputTokens }) => inputTokens);
const isThere = JSON.stringify(server.requests.at(-1)?.body).includes(prompt);
console.log(`${text} ${steps.length} steps, ${sizes.length} requests, none above ${Math.max(...sizes)} tokens.`);
console.log(`What was asked for is ${isThere ? 'still there' : 'gone'}.`);
