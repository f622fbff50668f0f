import { createHost, type Message, type Session } from '@varve/core';
import { describe, expect, test } from 'vitest';

const model = { provider: 'test', model: 'test-1' };

const user = (content: string): Message => ({ role: 'user', content });
const call = (toolCallId: string): Message => ({
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId, toolName: 'read', input: {} }],
});
const result = (toolCallId: string, value: string): Message => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId, toolName: 'read', output: { type: 'text', value } }],
});

async function sessionWith(inputTokens: number, ...messages: readonly Message[]): Promise<Session> {
  const host = await createHost({ budget: { inputTokens } });
  const session = await host.open('s');
  for (const message of messages) await session.ingest(message);
  return session;
}

describe('a plan', () => {
  test('shortens giant results that no call asked for, as the last resort', async () => {
    const old = [user('Old.'), { role: 'assistant', content: 'silt '.repeat(100) } as const];
    const session = await sessionWith(4_000, ...old, user('Read.'), call('a'), result('a', 'clay'));
    await session.ingest(result('stray', 'sand '.repeat(6_000)));
    expect((await session.compact('overflow', { model })).status).toBe('compacted');
    const { manifest, messages } = await session.assemble({ model });
    expect(manifest.entries.at(-1)).toMatchObject({ kind: 'parked', rule: 'park-unread' });
    expect(JSON.stringify(messages.at(-1))).toContain('the whole is in #6');
  });

  test('goes on behind a message that is held, when masks alone would make enough room', async () => {
    const session = await sessionWith(8_000, user('Read all of it.'));
    for (let n = 0; n < 12; n += 1) {
      await session.ingest(call(`a${n}`));
      await session.ingest(result(`a${n}`, `${n} ${'clay '.repeat(900)}`));
    }
    expect((await session.compact('overflow', { model })).entry?.range.held?.seq).toBe(1);
    await session.ingest(call('giant'));
    await session.ingest(result('giant', 'sand '.repeat(9_000)));
    for (let n = 0; n < 3; n += 1) {
      await session.ingest(call(`b${n}`));
      await session.ingest(result(`b${n}`, 'silt'));
    }
    const { status, entry } = await session.compact('overflow', { model });
    expect(status).toBe('compacted');
    expect(entry?.range.held?.seq).toBe(1);
  });

  test('takes the words of the user for the running turn, not a result that no call asked for', async () => {
    const session = await sessionWith(4_000, user('Which layer is the oldest?'));
    for (let n = 0; n < 4; n += 1) {
      await session.ingest(call(`a${n}`));
      await session.ingest(result(`a${n}`, `${n} ${'clay '.repeat(900)}`));
      await session.ingest(result(`a${n}`, `again ${'clay '.repeat(100)}`));
    }
    await session.compact('overflow', { model });
    expect((await session.assemble({ model })).messages).toContainEqual(user('Which layer is the oldest?'));
  });
});
