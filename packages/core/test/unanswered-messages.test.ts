import { createHost, type Host, type Message, type Session } from '@varve/core';
import { expect, test } from 'vitest';

const model = { provider: 'test', model: 'test-1' };

/** About 100 tokens. */
const said = (index: number): string => `Message ${index}: ${'varve '.repeat(45)}the end of ${index}.`;

async function channel(count: number): Promise<{ host: Host; session: Session }> {
  const host = await createHost({ budget: { inputTokens: 8_000 } });
  const session = await host.open('s');
  for (let index = 1; index <= count; index += 1) await session.ingest({ role: 'user', content: said(index) });
  return { host, session };
}

test('400 messages that nobody answered are compacted and assembled, and the newest is whole', async () => {
  const { host, session } = await channel(400);
  expect(session.pressure({ model }).level).toBe('overflow');
  const outcome = await session.compact('overflow', { model });
  expect(outcome).toMatchObject({ status: 'compacted' });
  const prompt = await session.assemble({ model });
  expect(prompt.tokens).toBeLessThanOrEqual(0.95 * 8_000);
  expect(prompt.messages.at(-1)?.content).toBe(said(400));
  const shown = prompt.manifest.entries.filter(({ kind }) => kind === 'kept').map(({ seq }) => seq);
  expect(shown).toEqual(shown.map((_, index) => 401 - shown.length + index));
  expect(shown.length).toBeGreaterThan(10);
  await host.close();
});

test('400 messages that nobody answered are assembled without a compaction, the oldest left out', async () => {
  const { host, session } = await channel(400);
  const prompt = await session.assemble({ model });
  expect(prompt.messages.at(-1)?.content).toBe(said(400));
  expect(prompt.manifest.entries.every(({ kind, rule }) => kind === 'kept' || rule === 'window-cut')).toBe(true);
  await host.close();
});

test('a few messages that nobody answered are all of the running turn', async () => {
  const { host, session } = await channel(5);
  for (let turn = 0; turn < 18; turn += 1) {
    const call: Message = {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: `c${turn}`, toolName: 'read', input: {} }],
    };
    await session.ingest(call);
    const output = { type: 'text', value: 'silt '.repeat(300) } as const;
    await session.ingest({
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: `c${turn}`, toolName: 'read', output }],
    });
    const { messages } = await session.assemble({ model });
    const texts = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
    expect(texts).toEqual([1, 2, 3, 4, 5].map(said));
  }
  await host.close();
});

test('the prefix of prompts stays the same while the running turn goes on behind many messages', async () => {
  const { host, session } = await channel(400);
  await session.compact('overflow', { model });
  for (let turn = 0; turn < 20; turn += 1) {
    const { manifest } = await session.assemble({ model });
    expect(manifest.firstChangedByte).toBeNull();
    await session.ingest({ role: 'assistant', content: `Step ${turn}.` });
  }
  await host.close();
});
