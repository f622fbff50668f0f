import {
  type AssistantMessage,
  createHost,
  definePlugin,
  isRecovered,
  type Message,
  memoryStore,
  partsOfMessage,
  type Session,
} from '@varve/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { answer, scriptedModel } from './turn/scripted-model.ts';

const model = { provider: 'test', model: 'test-1' };
const found = `#1 user: ${'the berth of the ferry '.repeat(60)}`;

/** A plugin with a tool that looks back and one that reads files. */
const looking = definePlugin({
  name: 'acme/looking',
  version: '1.0.0',
  apiVersion: '^1.0.0',
  options: z.strictObject({}),
  tools: {
    look_back: { description: 'Looks back.', input: z.strictObject({}), recovers: true, execute: () => found },
    read: { description: 'Reads.', input: z.strictObject({}), execute: () => found },
  },
  apply: () => undefined,
});

const user = (content: string): Message => ({ role: 'user', content });
const done: Message = { role: 'assistant', content: 'Done.' };
const call = (toolCallId: string, toolName: string): Message => ({
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId, toolName, input: {} }],
});
const result = (toolCallId: string, toolName: string, value = found): Message => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId, toolName, output: { type: 'text', value } }],
});

/** Texts of the results that a prompt shows, by the tools that gave them. */
async function shownBy(session: Session): Promise<readonly (readonly [string, string])[]> {
  const { messages } = await session.assemble({ model });
  return messages.flatMap((message) =>
    message.role === 'tool' ? message.content.map((part) => [part.toolName, String(part.output.value)] as const) : [],
  );
}

describe('the result of a tool that recovers', () => {
  test('is marked when it is stored, whoever runs the tool, and no other result is', async () => {
    const host = await createHost({ plugins: [looking()] });
    const session = await host.open('s');
    await session.ingest(user('Where is the ferry?'));
    const both = [call('a', 'look_back'), call('b', 'read')].flatMap((message) => partsOfMessage(message));
    await session.ingest({ role: 'assistant', content: both } as Message);
    const results = [result('a', 'look_back'), result('b', 'read')].flatMap((message) => partsOfMessage(message));
    const entry = await session.ingest({ role: 'tool', content: results } as Message);
    expect(partsOfMessage(entry.message).map(isRecovered)).toEqual([true, false]);
    expect(Object.isFrozen(partsOfMessage(entry.message)[0]?.providerOptions)).toBe(true);
    await session.ingest(done);

    const answers = [call('c', 'look_back'), call('d', 'read')] as AssistantMessage[];
    const { port } = scriptedModel(answers.map((message) => answer(message)));
    await session.turn({ message: user('And now?'), model: port });
    const marks: [string, boolean][] = [];
    for await (const { type, ...stored } of session.read({ fromSeq: entry.seq + 1 })) {
      if (type !== 'message' || !('message' in stored) || stored.message.role !== 'tool') continue;
      for (const part of stored.message.content) marks.push([part.toolName, isRecovered(part)]);
    }
    expect(marks).toEqual([
      ['look_back', true],
      ['read', false],
    ]);
  });

  test('keeps what a port has stored with it', async () => {
    const host = await createHost({ plugins: [looking()] });
    const session = await host.open('s');
    const [part] = partsOfMessage(result('a', 'look_back'));
    const providerOptions = { acme: { id: 7 }, varve: { note: 'x' } };
    const { message } = await session.ingest({ role: 'tool', content: [{ ...part, providerOptions }] } as Message);
    expect(partsOfMessage(message)[0]?.providerOptions).toEqual({
      acme: { id: 7 },
      varve: { note: 'x', recovered: true },
    });
  });

  test('T-27: stays whole in what a compaction keeps, also without the plugin, while others are masked', async () => {
    const store = memoryStore();
    const first = await createHost({ store, plugins: [looking()], budget: { inputTokens: 20_000 } });
    const session = await first.open('s');
    for (let n = 0; n < 8; n += 1) {
      await session.ingest(user(`Question ${n}: ${'clay '.repeat(100)}`));
      for (const tool of ['look_back', 'read']) {
        await session.ingest(call(`${tool}-${n}`, tool));
        await session.ingest(result(`${tool}-${n}`, tool));
      }
      await session.ingest(done);
    }
    await first.close();
    const second = await createHost({ store, budget: { inputTokens: 20_000 } });
    const later = await second.open('s');
    expect((await later.compact('manual', { model })).status).toBe('compacted');
    const shown = await shownBy(later);
    const texts = (name: string): readonly string[] => shown.flatMap(([tool, text]) => (tool === name ? [text] : []));
    expect(texts('read').filter((text) => text !== found).length).toBeGreaterThan(0);
    expect(texts('look_back').length).toBeGreaterThan(1);
    expect(new Set(texts('look_back'))).toEqual(new Set([found]));
  });
});
