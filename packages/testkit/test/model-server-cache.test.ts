import type { Message, Usage } from '@varve/core';
import { manualClock } from '@varve/testkit';
import { describe, expect, it } from 'vitest';
import { ask, type Subject, serverFor, subjects } from './model-server-subject.ts';

const [messages, ...automatic] = subjects as [Subject, ...Subject[]];

function line(index: number): string {
  return `Line ${index} of the file says that value ${index * 37} belongs to key ${index * 11}.\n`;
}

const paragraph = (from: number): string => Array.from({ length: 120 }, (_, index) => line(from + index)).join('');

function conversation(turns: number): Message[] {
  return Array.from({ length: turns * 2 - 1 }, (_, index) =>
    index % 2 === 0 ? { role: 'user', content: paragraph(index * 1_000) } : { role: 'assistant', content: 'Noted.' },
  );
}

function total({ inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 }: Usage): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens;
}

async function usageOf(asking: ReturnType<typeof ask>): Promise<Usage> {
  const { usage } = await asking;
  if (usage === null) throw new Error('nothing was reported');
  return usage;
}

describe('the prompt cache of Messages', () => {
  it('is written at marks, read by what begins alike, and forgets what is not read for five minutes', async () => {
    const clock = manualClock();
    await using server = await serverFor(messages, { script: () => 'Noted.', clock });
    const port = messages.port(server);
    const first = await usageOf(ask(port, { messages: conversation(1) }));
    expect(first).toMatchObject({ cacheReadTokens: 0 });
    expect(first.cacheWriteTokens).toBeGreaterThan(1_024);
    expect(total(first)).toBe(server.requests[0]?.inputTokens);

    clock.advance(290_000);
    const second = await usageOf(ask(port, { messages: conversation(2) }));
    expect(second.cacheReadTokens).toBe(first.cacheWriteTokens);
    expect(second.cacheWriteTokens).toBeGreaterThan(1_024);
    expect(total(second)).toBe(server.requests[1]?.inputTokens);

    clock.advance(290_000);
    const third = await usageOf(ask(port, { messages: conversation(2) }));
    expect(third.cacheReadTokens).toBe(total(second) - second.inputTokens);

    clock.advance(300_000);
    const late = await usageOf(ask(port, { messages: conversation(2) }));
    expect(late).toMatchObject({ cacheReadTokens: 0 });
  });

  it('is missed by what begins otherwise', async () => {
    await using server = await serverFor(messages, { script: () => 'Noted.' });
    const port = messages.port(server);
    await ask(port, { messages: conversation(2) });
    const [begin, ...rest] = conversation(2) as [Message, ...Message[]];
    const changed = { ...begin, content: `${String(begin.content)}!` } as Message;
    const usage = await usageOf(ask(port, { messages: [changed, ...rest] }));
    expect(usage).toMatchObject({ cacheReadTokens: 0 });
  });

  it('keeps nothing that is short', async () => {
    await using server = await serverFor(messages, { script: () => 'Noted.' });
    const port = messages.port(server);
    await ask(port);
    expect(await usageOf(ask(port))).toMatchObject({ cacheReadTokens: 0, cacheWriteTokens: 0 });
  });
});

describe.each(automatic)('the prompt cache of $name', (subject) => {
  it('keeps every prompt, and is read in steps of 128 tokens', async () => {
    const clock = manualClock();
    await using server = await serverFor(subject, { script: () => 'Noted.', clock });
    const port = subject.port(server);
    const first = await usageOf(ask(port, { messages: conversation(1) }));
    expect(first.cacheReadTokens).toBe(0);

    const second = await usageOf(ask(port, { messages: conversation(2) }));
    const read = second.cacheReadTokens ?? 0;
    expect(read % 128).toBe(0);
    expect(read).toBeGreaterThan(total(first) - 128);
    expect(read).toBeLessThanOrEqual(total(first));
    expect(total(second)).toBe(server.requests[1]?.inputTokens);

    clock.advance(600_001);
    expect((await usageOf(ask(port, { messages: conversation(2) }))).cacheReadTokens).toBe(0);
  });

  it('is missed by what begins otherwise, and by what is short', async () => {
    await using server = await serverFor(subject, { script: () => 'Noted.' });
    const port = subject.port(server);
    await ask(port);
    expect((await usageOf(ask(port))).cacheReadTokens).toBe(0);
    await ask(port, { messages: conversation(1) });
    const other: Message[] = [{ role: 'user', content: `Well: ${paragraph(0)}` }];
    expect((await usageOf(ask(port, { messages: other }))).cacheReadTokens).toBe(0);
  });
});
