import { readTranscript } from '@varve/adapters/transcripts';
import { describe, expect, it } from 'vitest';
import { inFile, kindsOf, linesOf, messagesOf, recordsIn } from './in-file.ts';

const timestamp = '2026-01-01T00:00:00.000Z';
const header = {
  type: 'session',
  id: 's',
  timestamp,
  cwd: '/w',
  provider: 'anthropic',
  modelId: 'claude-test',
  thinkingLevel: 'off',
};
const line = (message: object, more: object = {}) => ({ type: 'message', timestamp, message, ...more });
const user = (text: string) => line({ role: 'user', content: [{ type: 'text', text }], timestamp: 1 });
const usage = { input: 4, output: 5, cacheRead: 6, cacheWrite: 7, cost: { total: 1 } };

const assistant = (content: unknown, more: object = {}) =>
  line({
    role: 'assistant',
    api: 'anthropic-messages',
    provider: 'anthropic',
    model: 'claude-test',
    usage,
    stopReason: 'toolUse',
    content,
    ...more,
  });

const toolResult = (content: unknown, isError = false) =>
  line({ role: 'toolResult', toolCallId: 'a', toolName: 'read', content, isError, details: { diff: '…' } });

describe('a session of pi', () => {
  it('says in its first line with which model and thinking it began', async () => {
    const records = await recordsIn(linesOf(header, user('hello')));
    expect(records.slice(0, 2)).toEqual([
      { kind: 'setting', line: 1, name: 'model', value: 'anthropic/claude-test', at: Date.parse(timestamp) },
      { kind: 'setting', line: 1, name: 'thinking', value: 'off', at: Date.parse(timestamp) },
    ]);
  });

  it('has a message a line, and a call for each of the assistant', async () => {
    const content = [
      { type: 'thinking', thinking: 'hm', thinkingSignature: 'sig' },
      { type: 'text', text: 'I read.' },
      { type: 'toolCall', id: 'a', name: 'read', arguments: { path: 'x' } },
    ];
    const records = await recordsIn(
      linesOf(header, user('go'), assistant(content), toolResult([{ type: 'text', text: 'ok' }])),
    );
    const [, answer, result] = messagesOf(records);
    expect(answer).toEqual({
      kind: 'message',
      line: 3,
      lines: [3],
      key: 'line:3',
      at: Date.parse(timestamp),
      message: {
        role: 'assistant',
        stop: 'tool-calls',
        content: [
          { type: 'reasoning', text: 'hm', providerOptions: { anthropic: { signature: 'sig' } } },
          { type: 'text', text: 'I read.' },
          { type: 'tool-call', toolCallId: 'a', toolName: 'read', input: { path: 'x' } },
        ],
      },
      usage: { inputTokens: 4, outputTokens: 5, cacheReadTokens: 6, cacheWriteTokens: 7 },
      call: { provider: 'anthropic', model: 'claude-test', stop: 'tool-calls' },
    });
    expect(result?.message.content).toEqual([
      { type: 'tool-result', toolCallId: 'a', toolName: 'read', output: { type: 'text', value: 'ok' } },
    ]);
  });

  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['toolUse', 'tool-calls'],
    ['error', 'error'],
    ['aborted', 'aborted'],
    ['something new', undefined],
  ])('stops with %s', async (stopReason, stop) => {
    const [answer] = messagesOf(await recordsIn(linesOf(header, assistant([], { stopReason }))));
    expect(answer?.call?.stop).toBe(stop);
  });

  it('counts a call that was aborted before anything came, without usage', async () => {
    const nothing = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    const aborted = assistant([], { stopReason: 'aborted', errorMessage: 'Request was aborted', usage: nothing });
    const [answer] = messagesOf(await recordsIn(linesOf(header, aborted)));
    expect(answer).toMatchObject({ message: { content: [] }, call: { stop: 'aborted', error: 'Request was aborted' } });
    expect(answer?.usage).toBeUndefined();
  });

  it.each([
    [[{ type: 'text', text: 'no' }], true, { type: 'error-text', value: 'no' }],
    [
      [
        { type: 'text', text: 'see' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      ],
      true,
      {
        type: 'content',
        value: [
          { type: 'text', text: 'see' },
          { type: 'image', image: 'AAAA', mediaType: 'image/png' },
        ],
      },
    ],
    [[], false, { type: 'text', value: '' }],
    ['a string', false, { type: 'text', value: 'a string' }],
  ])('reads the result %j, error %j', async (content, isError, output) => {
    const [result] = messagesOf(await recordsIn(linesOf(header, toolResult(content, isError))));
    expect(result?.message.content).toMatchObject([{ output }]);
  });

  it('keeps signatures for the provider that gave them', async () => {
    const thinking = { type: 'thinking', thinking: 'hm', thinkingSignature: 'sig' };
    const lines = linesOf(
      header,
      assistant([thinking], { api: undefined }),
      assistant([thinking], { api: 'openai-responses' }),
      assistant([{ ...thinking, redacted: true }]),
      assistant([{ type: 'thinking', thinking: 'hm' }]),
    );
    const parts = messagesOf(await recordsIn(lines)).map(({ message }) => message.content[0]);
    expect(parts).toEqual([
      { type: 'reasoning', text: 'hm', providerOptions: { anthropic: { signature: 'sig' } } },
      { type: 'reasoning', text: 'hm', providerOptions: { openai: { signature: 'sig' } } },
      { type: 'reasoning', text: '', providerOptions: { anthropic: { redactedData: 'sig' } } },
      { type: 'reasoning', text: 'hm' },
    ]);
  });

  it('says where messages come from that the user did not write', async () => {
    const lines = linesOf(
      header,
      line({ role: 'bashExecution', command: 'ls', output: 'a', exitCode: 2 }),
      line({ role: 'bashExecution', command: 'ls', output: '', excludeFromContext: true }),
      line({ role: 'hookMessage', customType: 'x', content: 'noted' }),
      { type: 'custom_message', customType: 'x', content: [{ type: 'text', text: 'noted' }] },
      { type: 'custom', customType: 'x', data: 1 },
    );
    const records = await recordsIn(lines);
    expect(kindsOf(records).slice(2)).toEqual(['user', 'unknown message', 'user', 'user', 'unknown custom']);
    const [shell, ...plugins] = messagesOf(records);
    const text = 'Ran `ls`\n```\na\n```\n\nCommand exited with code 2';
    expect(shell).toMatchObject({
      message: { content: [{ type: 'text', text }] },
      provenance: { kind: 'tool', tool: 'bash' },
    });
    expect(plugins.map(({ provenance }) => provenance)).toEqual([{ kind: 'plugin' }, { kind: 'plugin' }]);
  });

  it('shows compactions and settings', async () => {
    const lines = linesOf(
      header,
      user('one'),
      { type: 'compaction', timestamp, summary: 'In short', tokensBefore: 175_000, firstKeptEntryIndex: 1 },
      { type: 'model_change', timestamp, provider: 'openai', modelId: 'gpt-test' },
      { type: 'thinking_level_change', timestamp, thinkingLevel: 'high' },
      { type: 'model_change', timestamp },
    );
    const records = (await recordsIn(lines)).slice(3);
    expect(records).toMatchObject([
      {
        kind: 'compaction',
        line: 3,
        data: {
          format: 'pi',
          summary: 'In short',
          at: Date.parse(timestamp),
          tokensBefore: 175_000,
          firstKeptEntryIndex: 1,
        },
      },
      { kind: 'setting', name: 'model', value: 'openai/gpt-test' },
      { kind: 'setting', name: 'thinking', value: 'high' },
      { kind: 'unknown', type: 'model_change' },
    ]);
  });

  it('is read in the order of the file when it is a tree, cycles included', async () => {
    const lines = linesOf(
      { type: 'session', version: 3, id: 's', timestamp, cwd: '/w' },
      { ...user('one'), id: 'a', parentId: 'b' },
      { ...user('two'), id: 'b', parentId: 'a' },
      { type: 'branch_summary', id: 'c', parentId: 'b', fromId: 'a', summary: 'Left' },
      { type: 'compaction', id: 'd', parentId: 'c', summary: 'In short', tokensBefore: 1, firstKeptEntryId: 'b' },
      { ...user('three'), id: 'a', parentId: 'a' },
    );
    const records = await recordsIn(lines);
    expect(kindsOf(records)).toEqual(['user', 'user', 'unknown branch_summary', 'compaction', 'user']);
    expect(records[3]).toMatchObject({ data: { firstKeptEntryId: 'b' } });
    expect(messagesOf(records).map(({ key }) => key)).toEqual(['line:2', 'line:3', 'line:6']);
  });

  it('is read as far as it is understood when its version is of the future', async () => {
    const lines = linesOf({ type: 'session', version: 99, id: 's' }, user('one'), { type: 'telepathy', thought: 'x' });
    expect(kindsOf(await recordsIn(lines))).toEqual(['unknown session', 'user', 'unknown telepathy']);
  });

  it('is recognised without its header', async () => {
    expect(await readTranscript(await inFile(linesOf(user('one'))))).toMatchObject({ format: 'pi' });
  });
});
