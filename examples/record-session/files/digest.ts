import { createHost, type Message } from '@varve/core';

const model = { provider: 'anthropic', model: 'claude-sonnet-4-5' };
const host = await createHost({ budget: { inputTokens: 3_000 } });
const session = await host.open('digest');
const said: Message[] = [
  { role: 'user', content: 'Build the redactor plugin for the documentation. The demo is on 2026-03-12.' },
  { role: 'user', content: 'Never touch pnpm-lock.yaml. Answer in short.' },
  { role: 'assistant', content: 'I would use the hook shape, with a sticky edit.' },
  { role: 'user', content: 'No, not shape but ingest: the key must never reach the journal.' },
  { role: 'assistant', content: 'Agreed. The plugin is in examples/redactor/redactor.ts now.' },
  { role: 'user', content: 'Put a fake model on port 48713 and send it a prompt.' },
  {
    role: 'assistant',
    content: [
      { type: 'tool-call', toolCallId: 'call_1', toolName: 'bash', input: { command: 'node scratch/send.ts' } },
    ],
  },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: 'call_1',
        toolName: 'bash',
        output: { type: 'error-text', value: 'TypeError: fetch failed\n  cause: ECONNREFUSED 127.0.0.1:48713' },
      },
    ],
  },
  {
    role: 'assistant',
    content: 'The fake model was not running. Started scratch/fake-model.ts, sent again, key not found.',
  },
];
for (const message of said) await session.ingest(message);
for (let number = 1; number <= 12; number += 1) {
  await session.ingest({ role: 'user', content: `go on, part ${number}` });
  await session.ingest({
    role: 'assistant',
    content: `Part ${number} is done. ${'It was much like the one before. '.repeat(8)}`,
  });
}
const { status, tokensBefore, tokensAfter } = await session.compact('manual', { model });
console.log(`${status}: ${tokensBefore} tokens before, ${tokensAfter} after\n`);
const prompt = await session.assemble({ model });
console.log(prompt.messages[0]?.content);
console.log(`\n${prompt.messages.length - 1} messages behind it`);
