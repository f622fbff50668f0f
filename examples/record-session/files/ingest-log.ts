import { readFileSync } from 'node:fs';
import { createHost, VarveError } from '@varve/core';
import { redactor } from '../examples/redactor/redactor.ts';

const log = readFileSync('scratch/deploy.log', 'utf8');
const host = await createHost({ plugins: [redactor()] });
const session = await host.open('log');
await session.ingest({ role: 'user', content: 'Why did the first call fail?' });
const call = { type: 'tool-call', toolCallId: 'call_1', toolName: 'read', input: { path: 'deploy.log' } } as const;
await session.ingest({ role: 'assistant', content: [call] });
const output = { type: 'text', value: log } as const;
try {
  await session.ingest({
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 'call_1', toolName: 'read', output }],
  });
} catch (error) {
  if (!VarveError.is(error)) throw error;
  console.log(`${error.code}: ${error.message}`);
  console.log(`fix: ${error.fix}`);
  process.exitCode = 1;
}
for await (const entry of session.read()) {
  if (entry.type !== 'message') continue;
  console.log(`#${entry.seq} ${entry.message.role}, ${entry.tokens.n} tokens by ${entry.tokens.by}`);
  if (entry.message.role === 'tool') console.log(JSON.stringify(entry.message.content[0]?.output, null, 1));
}
