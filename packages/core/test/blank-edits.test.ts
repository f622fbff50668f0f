import { createHost, definePlugin, type Message, memoryStore } from '@varve/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

const model = { provider: 'test', model: 'test-1' };

const call: Message = {
  role: 'assistant',
  content: [
    { type: 'text', text: 'Let me look.' },
    { type: 'tool-call', toolCallId: 'a', toolName: 'read', input: {} },
    { type: 'tool-call', toolCallId: 'b', toolName: 'read', input: {} },
  ],
};
const results: Message = {
  role: 'tool',
  content: [
    { type: 'tool-result', toolCallId: 'a', toolName: 'read', output: { type: 'text', value: 'what was read' } },
    { type: 'tool-result', toolCallId: 'b', toolName: 'read', output: { type: 'error-text', value: 'no such file' } },
  ],
};
const messages: readonly Message[] = [
  { role: 'user', content: 'An old question.' },
  { role: 'assistant', content: 'An old answer.' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ],
  },
  call,
  results,
  { role: 'assistant', content: 'Read.' },
  { role: 'user', content: 'Now.' },
];

describe.each([
  ['nothing', ''],
  ['blanks', ' \n\t'],
])('a sticky edit to %s', (_, text) => {
  test.each<readonly [string, (seq: number, part: number) => boolean]>([
    ['a message that is one text', (seq) => seq === 1],
    ['an answer that is one text', (seq) => seq === 2],
    ['one of several parts', (seq, part) => seq === 3 && part === 1],
    ['all parts of a message', (seq) => seq === 3],
    ['the text beside a call', (seq) => seq === 4],
    ['a result, and one that failed', (seq) => seq === 5],
    ['all that may be edited', () => true],
  ])('leaves a prompt that the next one begins with: of %s', async (_what, isMeant) => {
    let edits = 0;
    const clear = definePlugin({
      name: 'clear',
      version: '1.0.0',
      apiVersion: '^1.0.0',
      options: z.strictObject({}),
      apply: ({ hooks }) => {
        hooks.shape.tapPromise('clear', (draft) => {
          edits = 0;
          return draft.edit(
            ({ item, part }) => {
              if (!isMeant(item.seq ?? 0, part)) return undefined;
              edits += 1;
              return text;
            },
            { rule: 'clear', sticky: true, clears: true },
          );
        });
      },
    });
    const store = memoryStore();
    const host = await createHost({ store, plugins: [clear()] });
    const session = await host.open('s');
    for (const message of messages) await session.ingest(message);
    const first = await session.assemble({ model });
    expect(edits).toBeGreaterThan(0);
    expect(first.messages).toHaveLength(messages.length);
    await session.ingest({ role: 'assistant', content: 'Done.' });
    const second = await session.assemble({ model });
    expect(second.messages.slice(0, -1)).toEqual(first.messages);
    expect(second.manifest).toMatchObject({ firstChangedByte: null, actions: [] });
    const stored: string[] = [];
    for await (const entry of session.read()) stored.push(entry.type);
    expect(stored.filter((type) => type === 'edit')).toHaveLength(1);
    await host.close();
    await using later = await createHost({ store });
    expect((await (await later.open('s')).assemble({ model })).messages).toEqual(second.messages);
  });
});

test('an edited failure stays a failure', async () => {
  const clear = definePlugin({
    name: 'clear',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: ({ hooks }) =>
      hooks.shape.tapPromise('clear', (draft) =>
        draft.edit(({ kind }) => (kind === 'tool-result' ? '' : undefined), { rule: 'clear', sticky: true }),
      ),
  });
  await using host = await createHost({ plugins: [clear()] });
  const session = await host.open('s');
  for (const message of messages) await session.ingest(message);
  const prompt = await session.assemble({ model });
  const shown = prompt.messages[4];
  const outputs = shown?.role === 'tool' ? shown.content.map(({ output }) => output) : [];
  expect(outputs.map(({ type }) => type)).toEqual(['text', 'error-text']);
  for (const { value } of outputs) expect(String(value).trim()).not.toBe('');
});
