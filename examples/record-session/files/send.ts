import { readFileSync } from 'node:fs';
import { toAnthropic } from '@varve/adapters/anthropic';
import { createHost } from '@varve/core';
import { redactor } from '../examples/redactor/redactor.ts';

const model = { provider: 'anthropic', model: 'claude-sonnet-4-5' };
const host = await createHost({ plugins: [redactor()] });
const session = await host.open('wire');
await session.ingest({ role: 'system', content: 'You look after deployments.' });
await session.ingest({
  role: 'user',
  content: 'Read the log. My key is sk-test-51Hx9f0aQ2mZ7Lr4, should you need it.',
});
const call = { type: 'tool-call', toolCallId: 'call_1', toolName: 'read', input: { path: 'deploy.log' } } as const;
await session.ingest({ role: 'assistant', content: [call] });
const output = { type: 'text', value: readFileSync('scratch/deploy.log', 'utf8') } as const;
await session.ingest({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId: 'call_1', toolName: 'read', output }],
});

const prompt = await session.assemble({ model });
const body = JSON.stringify(toAnthropic(prompt, { model: model.model }));
const response = await fetch('http://127.0.0.1:48713/v1/messages', { method: 'POST', body });
const answer = await response.json();
await session.ingest({ role: 'assistant', content: answer.content[0].text });
console.log(`sent ${body.length} characters, ${prompt.tokens} tokens; got "${answer.content[0].text}"`);
await host.close();
