import { createHost, definePlugin, type Message, type Prompt } from '@varve/core';
import { expect, test } from 'vitest';
import { z } from 'zod';

const model = { provider: 'test', model: 'test-1' };

const user = (content: string): Message => ({ role: 'user', content });
const calls = (...ids: readonly string[]): Message => ({
  role: 'assistant',
  content: ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'read', input: {} })),
});
const results = (...ids: readonly string[]): Message => ({
  role: 'tool',
  content: ids.map((toolCallId) => ({
    type: 'tool-result',
    toolCallId,
    toolName: 'read',
    output: { type: 'text', value: `result of ${toolCallId}` },
  })),
});

test('names a result that came after its call had been sent without one', async () => {
  await using host = await createHost();
  const session = await host.open('s');
  for (const message of [user('Read.'), calls('a'), user('Well?')]) await session.ingest(message);
  await session.assemble({ model });
  await session.ingest(results('a'));
  const { manifest } = await session.assemble({ model });
  expect(manifest.firstChangedByte).not.toBeNull();
  expect(manifest.actions).toEqual([{ kind: 'late-result', seqs: [5] }]);
  await session.ingest({ role: 'assistant', content: 'Here.' });
  expect((await session.assemble({ model })).manifest).toMatchObject({ firstChangedByte: null, actions: [] });
});

test('names the rule again when it edits another part of the same entry', async () => {
  let next = 'result of a';
  const clear = definePlugin({
    name: 'clear',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: ({ hooks }) =>
      hooks.shape.tapPromise('one result a request', (draft) =>
        draft.edit(({ text }) => (text === next ? '-' : undefined), { rule: 'one', sticky: true, clears: true }),
      ),
  });
  await using host = await createHost({ plugins: [clear()] });
  const session = await host.open('s');
  const messages = [
    user('Read.'),
    calls('a', 'b'),
    results('a', 'b'),
    { role: 'assistant', content: 'Done.' } as const,
  ];
  for (const message of [...messages, user('And?')]) await session.ingest(message);
  await session.assemble({ model });
  next = 'result of b';
  const { manifest } = await session.assemble({ model });
  expect(manifest.firstChangedByte).not.toBeNull();
  expect(manifest.actions).toEqual([
    { kind: 'verdict', verdict: 'cleared', rule: 'one', fromSeq: 3, toSeq: 3, entries: 1 },
  ]);
});

test.each(['system', 'user'] as const)('names a layer of the %s role whose text is another one', async (role) => {
  let text = 'first';
  const notes = definePlugin({
    name: 'notes',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: ({ hooks }) => {
      hooks.collect.tapPromise('add', (draft) =>
        text === '' ? draft : draft.addLayer({ id: 'notes', role, stability: 'session', items: [{ text }] }, 'notes'),
      );
    },
  });
  await using host = await createHost({ plugins: [notes()] });
  const session = await host.open('s');
  await session.ingest(user('Hello.'));
  await session.assemble({ model });
  const actions: Prompt['manifest']['actions'][] = [];
  for (text of ['first', 'second', '']) {
    await session.ingest(user('Again.'));
    actions.push((await session.assemble({ model })).manifest.actions);
  }
  expect(actions).toEqual([[], [{ kind: 'layer', id: 'notes' }], [{ kind: 'layer', id: 'notes' }]]);
});
