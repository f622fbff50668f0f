import { readTranscript } from '@varve/adapters/transcripts';
import { describe, expect, it } from 'vitest';
import { inFile, kindsOf, linesOf, messagesOf, recordsIn } from './in-file.ts';
import { flatLines, typedLines } from './sample-conversations.ts';

describe('flat lines', () => {
  it('make a call and its result of the line of a tool', async () => {
    const messages = messagesOf(await recordsIn(flatLines));
    expect(messages).toMatchObject([
      { key: 'line:1', at: 1_000, message: { role: 'user' } },
      {
        key: 'line:2',
        at: 2_000,
        call: {},
        message: {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId: 'line:2', toolName: 'weather', input: { city: 'Basel' } }],
        },
      },
      {
        key: 'line:2.2',
        at: 2_000,
        message: {
          role: 'tool',
          content: [{ toolCallId: 'line:2', toolName: 'weather', output: { type: 'text', value: 'rain' } }],
        },
      },
      { key: 'line:3', at: 3_000, message: { role: 'assistant' }, call: { model: 'claude-test' } },
    ]);
  });

  it.each([
    [{ output: null }, { type: 'text', value: '' }],
    [{ output: { degrees: 4 } }, { type: 'json', value: { degrees: 4 } }],
    [
      { output: 'no such city', isError: true },
      { type: 'error-text', value: 'no such city' },
    ],
    [
      { output: [1], isError: true },
      { type: 'error-json', value: [1] },
    ],
  ])('have the output %j', async (line, output) => {
    const [, result] = messagesOf(await recordsIn(linesOf({ role: 'tool', name: 'weather', ...line })));
    expect(result?.message.content).toMatchObject([{ output }]);
  });

  it('may hold messages in the form of OpenAI, and what is none', async () => {
    const lines = linesOf(
      { role: 'user', content: 'x', timestamp: 1 },
      { role: 'assistant', content: 'y' },
      { odd: 1 },
      7,
    );
    expect(kindsOf(await recordsIn(lines))).toEqual(['user', 'assistant', 'unknown object', 'unknown number']);
  });
});

describe('typed lines', () => {
  it('put an answer and its calls together, on the way to the newest leaf', async () => {
    const records = await recordsIn(typedLines);
    expect(kindsOf(records)).toEqual(['user', 'unknown off-path', 'assistant', 'tool', 'tool', 'assistant']);
    const [, answer, first, second] = messagesOf(records);
    expect(answer).toEqual({
      kind: 'message',
      line: 3,
      lines: [3, 4, 5],
      key: 'line:3',
      at: 3_000,
      call: { model: 'claude-test' },
      message: {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I read.' },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'read', input: { path: 'a' } },
          { type: 'tool-call', toolCallId: 'c2', toolName: 'read', input: { path: 'b' } },
        ],
      },
    });
    expect(first?.message.content).toMatchObject([{ toolCallId: 'c1', toolName: 'read', output: { value: 'A' } }]);
    expect(second?.message.content).toMatchObject([
      { toolCallId: 'c2', output: { type: 'json', value: { lines: 2 } } },
    ]);
  });

  const use = (id: string, more: object = {}) => ({ type: 'tool_use', id, parentId: null, name: 'read', ...more });
  const result = (more: object) => ({ type: 'tool_result', id: 'r', output: 'ok', ...more });

  // the call · the result · the id of both
  it.each([
    [use('a'), result({}), 'a', 'a'],
    [use('a'), result({ tool_use_id: 'a' }), 'a', 'a'],
    [use('a', { toolCallId: 'call_1' }), result({ toolCallId: 'call_1' }), 'call_1', 'call_1'],
    [use('a', { toolCallId: 'call_1' }), result({ tool_use_id: 'a' }), 'call_1', 'call_1'],
    [use('a'), result({ tool_use_id: 'other' }), 'a', 'other'],
  ])('pair %j with %j', async (call, answer, callId, resultId) => {
    const [asked, given] = messagesOf(await recordsIn(linesOf(call, answer)));
    expect(asked).toMatchObject({ call: {}, message: { content: [{ toolCallId: callId }] } });
    expect(given?.message.content).toMatchObject([{ toolCallId: resultId }]);
  });

  it.each([
    [
      { output: undefined, content: [{ type: 'text', text: 'a' }, { type: 'smell' }] },
      { type: 'text', value: 'a' },
    ],
    [
      { output: undefined, result: [1, 2] },
      { type: 'json', value: [1, 2] },
    ],
    [
      { output: undefined, error: 'no' },
      { type: 'error-text', value: 'no' },
    ],
    [{ is_error: true }, { type: 'error-text', value: 'ok' }],
    [{ output: undefined }, { type: 'text', value: '' }],
  ])('have the output %j', async (more, output) => {
    const [, given] = messagesOf(await recordsIn(linesOf(use('a'), result(more))));
    expect(given?.message.content).toMatchObject([{ output }]);
  });

  it('begin another answer behind a result, and let other lines stand behind the answer that they interrupt', async () => {
    const lines = linesOf(
      use('a'),
      { type: 'note', id: 'n', text: 'x' },
      use('b', { parentId: 'n' }),
      result({}),
      use('c', { parentId: 'r' }),
      { type: 'compaction', id: 'k', parentId: 'c', summary: 'In short' },
      { type: 'user', id: 'u', parentId: 'k', message: { role: 'user', content: 'go on' } },
      { type: 'user', id: 'v', parentId: 'u', content: 7 },
    );
    const records = await recordsIn(lines);
    expect(kindsOf(records)).toEqual([
      ...['assistant', 'unknown note', 'tool', 'assistant', 'compaction', 'user', 'unknown user'],
    ]);
    expect(messagesOf(records).map(({ lines: of }) => of)).toEqual([[1, 3], [4], [5], [7]]);
  });

  it('are not those of Claude Code, whose ids have another name', async () => {
    const line = { type: 'user', id: 'x', uuid: 'u', parentUuid: null, message: { role: 'user', content: 'x' } };
    expect((await readTranscript(await inFile(linesOf(line)))).format).toBe('claude-code');
  });
});
