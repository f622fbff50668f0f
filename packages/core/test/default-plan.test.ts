import {
  createHost,
  createTokenCounter,
  type Entry,
  type Message,
  memoryStore,
  type Session,
  tableCounter,
} from '@varve/core';
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

describe('a plan for a long session', () => {
  test('can keep more entries than a function can have arguments', async () => {
    const messages = Array.from({ length: 130_000 }, (_, n): Message => {
      return n % 2 === 0 ? user(`Question ${n}`) : { role: 'assistant', content: `Answer ${n}` };
    });
    const store = memoryStore();
    const journal = await store.open('s', { create: { v: 1, sessionId: 's', createdAt: 0 } });
    await journal.append(messages.map(entryOf), { expectedSeq: 0 });
    await using host = await createHost({ store, budget: { inputTokens: 10_000_000 } });
    const session = await host.open('s');
    expect(await session.plan('overflow', { model })).toMatchObject({ range: { firstKept: { seq: 3 } } });
  });

  test('counts results only as far back as what is kept', async () => {
    const counted = new Set<string>();
    const counter = createTokenCounter('spy', (text) => {
      counted.add(text);
      return tableCounter.count(text);
    });
    const host = await createHost({ tokens: counter, budget: { inputTokens: 4_000 } });
    const session = await host.open('s');
    await session.ingest(user('Read all.'));
    for (let n = 0; n < 100; n += 1) {
      await session.ingest(call(`a${n}`));
      await session.ingest(result(`a${n}`, `${n} ${'clay '.repeat(100)}`));
    }
    await session.ingest({ role: 'assistant', content: 'Done.' });
    session.pressure({ model });
    counted.clear();
    await session.plan('overflow', { model });
    expect([...counted].some((text) => text.startsWith('97 '))).toBe(true);
    expect([...counted].filter((text) => text.endsWith('clay ')).length).toBeLessThan(60);
  });

  test('leaves no room for words of the user that stay anyway', async () => {
    const session = await sessionWith(4_000);
    for (let n = 0; n < 30; n += 1) {
      await session.ingest(user(`Question ${n}. ${'silt '.repeat(90)}`));
      await session.ingest({ role: 'assistant', content: `Answer ${n}. ${'clay '.repeat(90)}` });
    }
    await session.ingest(user(`Log: ${'varve '.repeat(500)}`));
    const plan = await session.plan('overflow', { model });
    expect(plan).toMatchObject({ range: { held: null } });
    const kept = 61 - ('range' in plan ? plan.range.to.seq : 0);
    expect(kept).toBeGreaterThan(8);
  });
});

function entryOf(message: Message, index: number): Entry {
  return {
    v: 1,
    id: `id-${index + 1}`,
    parentId: index === 0 ? null : `id-${index}`,
    seq: index + 1,
    at: 0,
    type: 'message',
    message,
    provenance: { kind: message.role === 'user' ? 'user' : message.role === 'tool' ? 'tool' : 'model' },
    tokens: { n: tableCounter.countMessage(message), by: tableCounter.id },
  };
}
