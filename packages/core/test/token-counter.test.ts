import {
  createTokenCounter,
  estimateTokens,
  heuristicCounter,
  type Message,
  type TokenCounter,
  tableCounter,
} from '@varve/core';
import { describe, expect, it } from 'vitest';

const letters: TokenCounter = createTokenCounter('letters-1', (text) => text.length);

describe('createTokenCounter', () => {
  it('keeps the id and the counting function', () => {
    expect(letters.id).toBe('letters-1');
    expect(letters.count('four')).toBe(4);
  });

  // Columns: what the message holds · its tokens beside the 4 of every message, a letter being a token · the message.
  const messages: [content: string, tokens: number, message: Message][] = [
    ['an empty text', 0, { role: 'user', content: '' }],
    ['a system text', 9, { role: 'system', content: 'Be brief.' }],
    ['a string', 5, { role: 'user', content: 'hello' }],
    ['the same string as a part', 5, { role: 'user', content: [{ type: 'text', text: 'hello' }] }],
    ['no parts', 0, { role: 'assistant', content: [] }],
    [
      'reasoning and text, not the signature',
      3 + 2,
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hmm', providerOptions: { anthropic: { signature: 'c2lnbmF0dXJl' } } },
          { type: 'text', text: 'ok' },
        ],
      },
    ],
    [
      'a tool call as name and compact JSON',
      'read{"path":"a.ts","lines":[1,2]}'.length,
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId: 'call_1', toolName: 'read', input: { path: 'a.ts', lines: [1, 2] } },
        ],
      },
    ],
    ['a text result, not escaped', 4, toolResult({ type: 'text', value: 'a\n"b' })],
    ['a text error', 4, toolResult({ type: 'error-text', value: 'boom' })],
    ['a JSON result as compact JSON', '{"ok":true}'.length, toolResult({ type: 'json', value: { ok: true } })],
    ['a JSON error', 'null'.length, toolResult({ type: 'error-json', value: null })],
    ['two results', 1 + 2, toolResult({ type: 'text', value: 'a' }, { type: 'text', value: 'bc' })],
    [
      'a result with text, image and file',
      3 + 1_600 + 3_000,
      toolResult({
        type: 'content',
        value: [
          { type: 'text', text: 'see' },
          { type: 'image', image: 'iVBORw0KGgo=', mediaType: 'image/png' },
          { type: 'file', data: 'JVBERi0xLjcK', mediaType: 'application/pdf' },
        ],
      }),
    ],
    [
      'two images, whatever their size',
      2 * 1_600,
      {
        role: 'user',
        content: [
          { type: 'image', image: 'https://example.org/large.png' },
          { type: 'image', image: 'A'.repeat(100_000) },
        ],
      },
    ],
    [
      'a file that is an image',
      1_600,
      { role: 'user', content: [{ type: 'file', data: 'UklGRg==', mediaType: 'image/webp', filename: 'cat.webp' }] },
    ],
    ['a file', 3_000, { role: 'user', content: [{ type: 'file', data: 'JVBERi0x', mediaType: 'application/pdf' }] }],
  ];

  it.each(messages)('counts a message with %s', (_content, tokens, message) => {
    expect(letters.countMessage(message)).toBe(4 + tokens);
  });
});

describe('tableCounter', () => {
  it('counts with the estimator', () => {
    expect(tableCounter.id).toBe('table-o200k-2');
    expect(tableCounter.count).toBe(estimateTokens);
    expect(tableCounter.countMessage({ role: 'user', content: 'Hello, world!' })).toBe(
      4 + estimateTokens('Hello, world!'),
    );
  });
});

describe('heuristicCounter', () => {
  // Columns: text · Han / 1.5 + others / 4, rounded up.
  it.each([
    ['', 0],
    ['a', 1],
    ['abcd', 1],
    ['abcde', 2],
    ['汉', 1],
    ['汉字汉', 2],
    ['汉字汉字', 3],
    ['汉字汉abcd', 3],
    ['ひらがなカタ', 2],
    ['한국어입니다', 2],
    ['😀😀', 1],
    ['𠮷', 1],
    ['一鿿', 2],
  ])('counts %j as %i', (text, tokens) => {
    expect(heuristicCounter.count(text)).toBe(tokens);
  });

  it('names its formula', () => {
    expect(heuristicCounter.id).toBe('heuristic-1');
  });
});

type Output = Extract<Message, { role: 'tool' }>['content'][number]['output'];

function toolResult(...outputs: Output[]): Message {
  return {
    role: 'tool',
    content: outputs.map((output, index) => ({
      type: 'tool-result',
      toolCallId: `call_${index}`,
      toolName: 'read',
      output,
    })),
  };
}
