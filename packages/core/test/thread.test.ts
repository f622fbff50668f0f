import { createHost, type Message, type Prompt } from '@varve/core';
import { describe, expect, test, vi } from 'vitest';

const model = { provider: 'test', model: 'test-1' };

const user = (content: string): Message => ({ role: 'user', content });
const calls = (...ids: readonly string[]): Message => ({
  role: 'assistant',
  content: ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'read', input: {} })),
});
const result = (toolCallId: string, value: string): Message => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId, toolName: 'read', output: { type: 'text', value } }],
});

async function promptOf(...messages: readonly Message[]): Promise<Prompt> {
  await using host = await createHost();
  const session = await host.open('s');
  for (const message of messages) await session.ingest(message);
  return await session.assemble({ model });
}

/** Each message in a few letters: `call a a~2`, `a=1`, `user: text`. */
function outline({ messages }: Prompt): readonly string[] {
  return messages.map(({ role, content }) => {
    if (typeof content === 'string') return `${role}: ${content}`;
    const parts = content.map((part) => {
      if (part.type === 'tool-call') return part.toolCallId;
      if (part.type === 'tool-result') return `${part.toolCallId}=${String(part.output.value).slice(0, 4)}`;
      return part.type === 'text' ? part.text.slice(0, 10) : part.type;
    });
    return `${role}: ${parts.join(' ')}`;
  });
}

describe('results and calls with an id that is used again', () => {
  test('are matched in order within one message', async () => {
    const prompt = await promptOf(user('Go.'), calls('a', 'a'), result('a', '1'), result('a', '2'));
    expect(outline(prompt)).toEqual(['user: Go.', 'assistant: a a~2', 'tool: a=1', 'tool: a~2=2']);
  });

  test('are never matched across a later call with that id', async () => {
    const prompt = await promptOf(user('1'), calls('a'), user('2'), calls('a'), result('a', '1'), result('a', '2'));
    expect(outline(prompt)).toEqual([
      'user: 1',
      'assistant: a',
      'tool: a=[No ',
      'user: 2',
      'assistant: a~2',
      'tool: a~2=1',
      'user: [A second  2',
    ]);
  });

  test('belong together when the result was stored right before its call', async () => {
    const prompt = await promptOf(user('Go.'), result('a', '1'), calls('a'), user('And?'));
    expect(outline(prompt)).toEqual(['user: Go.', 'assistant: a', 'tool: a=1', 'user: And?']);
  });

  test('do not when another answer stands between', async () => {
    const prompt = await promptOf(
      user('Go.'),
      result('a', '1'),
      calls('b'),
      result('b', '2'),
      calls('a'),
      user('And?'),
    );
    expect(outline(prompt)).toEqual([
      'user: Go.',
      'user: [Result of 1',
      'assistant: b',
      'tool: b=2',
      'assistant: a',
      'tool: a=[No ',
      'user: And?',
    ]);
  });
});

describe('thousands of calls with one id', () => {
  /** Look-ups in sets and maps, and searches of lists, that a prompt takes. */
  async function lookUps(messages: readonly Message[]): Promise<number> {
    await using host = await createHost({ budget: { inputTokens: null } });
    const session = await host.open('s');
    for (const message of messages) await session.ingest(message);
    const spies = [
      vi.spyOn(Set.prototype, 'has'),
      vi.spyOn(Map.prototype, 'get'),
      vi.spyOn(Array.prototype, 'find'),
      vi.spyOn(Array.prototype, 'findIndex'),
    ];
    try {
      await session.assemble({ model });
      return spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  }

  const ids = (count: number): readonly string[] => Array.from({ length: count }, () => 'a');

  test.each<readonly [string, (count: number) => readonly Message[]]>([
    ['in messages of their own', (count) => ids(count).flatMap((id) => [calls(id), result(id, 'x')])],
    ['in one message', (count) => [calls(...ids(count)), ...ids(count).map((id) => result(id, 'x'))]],
    ['without results', (count) => ids(count).map((id) => calls(id))],
    ['without calls', (count) => ids(count).map((id) => result(id, 'x'))],
  ])('are matched in steps that grow with their number alone: %s', async (_, conversation) => {
    const few = await lookUps([user('Go.'), ...conversation(300)]);
    const many = await lookUps([user('Go.'), ...conversation(1_200)]);
    expect(many / few).toBeLessThan(6);
  });
});
