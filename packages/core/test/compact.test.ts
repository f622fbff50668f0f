import { createHost, type Entry, fold, memoryStore } from '@varve/core';
import { expect, test } from 'vitest';

const model = { provider: 'test', model: 'test-1' };

test('a compaction that makes the prompt fit is made, though what must stay is larger than the target', async () => {
  await using host = await createHost({ budget: { inputTokens: 4_000 } });
  const session = await host.open('s');
  for (let n = 0; n < 30; n += 1) {
    await session.ingest({ role: 'user', content: `Question ${n}: ${'clay '.repeat(60)}` });
    await session.ingest({ role: 'assistant', content: `Answer ${n}: ${'silt '.repeat(60)}` });
  }
  await session.ingest({ role: 'user', content: `Log: ${'varve '.repeat(3_000)}` });
  const { status, tokensAfter } = await session.compact('overflow', { model });
  expect(status).toBe('compacted');
  expect(tokensAfter).toBeGreaterThan(0.7 * 3_800);
  expect(tokensAfter).toBeLessThanOrEqual(3_800);
  expect((await session.assemble({ model })).manifest.actions).toEqual([]);
});

test('keeps system messages in every prompt, whatever is compacted', async () => {
  const store = memoryStore();
  await using host = await createHost({ store, budget: { inputTokens: 3_000 } });
  const session = await host.open('s');
  await session.ingest({ role: 'system', content: 'Answer in rhyme.' });
  for (let turn = 0; turn < 40; turn += 1) {
    await session.ingest({ role: 'user', content: `Question ${turn}. ${'word '.repeat(60)}` });
    if (session.pressure({ model }).level === 'hard') await session.compact('overflow', { model });
    const prompt = await session.assemble({ model });
    expect(prompt.system).toEqual([{ layer: 'system', text: 'Answer in rhyme.' }]);
    await session.ingest({ role: 'assistant', content: `Answer ${turn}. ${'word '.repeat(60)}` });
  }
  expect(session.view.compaction()?.previousId).not.toBeNull();
  const journal = await store.open('s', { readOnly: true });
  const entries: Entry[] = [];
  for await (const entry of journal.read()) entries.push(entry);
  expect(fold(await journal.tail())).toEqual(fold({ checkpoint: null, entries }));
});

test('holds what the user said, not the blank line or the note of a program behind it', async () => {
  await using host = await createHost({ budget: { inputTokens: 3_000 } });
  const session = await host.open('s');
  await session.ingest({ role: 'user', content: 'Rename every file.' });
  await session.ingest({ role: 'user', content: '  ' });
  await session.ingest({ role: 'user', content: 'It is noon.' }, { provenance: { kind: 'system-event' } });
  for (let step = 0; step < 40; step += 1) {
    const toolCallId = `c${step}`;
    await session.ingest({
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId, toolName: 'mv', input: {} }],
    });
    const output = { type: 'text', value: 'word '.repeat(100) } as const;
    await session.ingest({ role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName: 'mv', output }] });
    if (session.pressure({ model }).level === 'hard') await session.compact('overflow', { model });
    const { messages } = await session.assemble({ model });
    expect(messages.filter((message) => message.content === 'Rename every file.')).toHaveLength(1);
  }
  expect(session.view.compaction()?.range.held?.seq).toBe(1);
});
