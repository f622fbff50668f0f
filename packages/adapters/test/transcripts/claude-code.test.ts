import { readTranscript } from '@varve/adapters/transcripts';
import { describe, expect, it } from 'vitest';
import { allOf, inFile, kindsOf, linesOf, messagesOf, recordsIn } from './in-file.ts';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const base = { sessionId: 's', isSidechain: false, timestamp: at(0) };

const user = (content: unknown, more: object = {}) => ({
  ...base,
  type: 'user',
  uuid: 'u',
  message: { role: 'user', content },
  ...more,
});
const result = (id: string, content: unknown, more: object = {}) =>
  user([{ type: 'tool_result', tool_use_id: id, content, ...more }]);
const call = (id: string) => ({ type: 'tool_use', id, name: 'Read', input: { path: id } });
const usage = (output_tokens: number, more: object = {}) => ({
  input_tokens: 3,
  output_tokens,
  cache_read_input_tokens: 20,
  cache_creation_input_tokens: 10,
  ...more,
});

function assistant(
  id: string,
  content: unknown,
  more: { model?: string; usage?: object; stop_reason?: string | null } = {},
) {
  const message = { id, role: 'assistant', model: 'claude-test', stop_reason: null, usage: usage(1), content, ...more };
  return { ...base, type: 'assistant', uuid: `${id}-line`, message };
}

describe('a Claude Code session', () => {
  it('is recognised behind lines that hold no message', async () => {
    const first = [
      { type: 'summary', summary: 'About things', leafUuid: 'x' },
      { type: 'file-history-snapshot', messageId: 'm', snapshot: {} },
      { type: 'queue-operation', operation: 'enqueue', sessionId: 's' },
    ];
    const transcript = await readTranscript(await inFile(linesOf(...first, user('hello'))));
    expect(transcript).toMatchObject({ format: 'claude-code', items: 1 });
    expect(kindsOf(await allOf(transcript.records()))).toEqual([
      'item',
      'unknown summary',
      'unknown file-history-snapshot',
      'unknown queue-operation',
      'user',
    ]);
  });

  it('makes one message and one call of the lines with one message id', async () => {
    const lines = linesOf(
      user('go', { timestamp: at(1) }),
      assistant('m1', [{ type: 'thinking', thinking: 'hm', signature: 'sig' }], { usage: usage(2) }),
      assistant('m1', [{ type: 'text', text: 'I read.' }], { usage: usage(2) }),
      assistant('m1', [call('a')], { usage: usage(9), stop_reason: 'tool_use' }),
      result('a', 'ok'),
      assistant('m2', [{ type: 'text', text: 'Done.' }]),
    );
    const records = await recordsIn(lines);
    expect(kindsOf(records)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(messagesOf(records)[0]).toMatchObject({ key: 'line:1', at: Date.parse(at(1)) });
    expect(messagesOf(records)[1]).toStrictEqual({
      kind: 'message',
      line: 2,
      lines: [2, 3, 4],
      key: 'line:2',
      at: Date.parse(at(0)),
      message: {
        role: 'assistant',
        stop: 'tool-calls',
        content: [
          { type: 'reasoning', text: 'hm', providerOptions: { anthropic: { signature: 'sig' } } },
          { type: 'text', text: 'I read.' },
          { type: 'tool-call', toolCallId: 'a', toolName: 'Read', input: { path: 'a' } },
        ],
      },
      usage: { inputTokens: 3, outputTokens: 9, cacheReadTokens: 20, cacheWriteTokens: 10 },
      call: { provider: 'anthropic', model: 'claude-test', stop: 'tool-calls', cacheWriteTtl: undefined },
    });
  });

  it('puts results that came between the lines of a message behind it', async () => {
    const lines = linesOf(
      user('go'),
      assistant('m1', [call('a')]),
      result('a', 'ok'),
      { ...base, type: 'progress', data: {} },
      assistant('m1', [call('b')]),
      result('b', 'ok'),
      assistant('m2', [{ type: 'text', text: 'Done.' }]),
    );
    const records = await recordsIn(lines);
    expect(kindsOf(records)).toEqual(['user', 'assistant', 'tool', 'unknown progress', 'tool', 'assistant']);
    expect(messagesOf(records).map(({ key }) => key)).toEqual(['line:1', 'line:2', 'line:3', 'line:6', 'line:7']);
    expect(messagesOf(records).filter(({ call }) => call !== undefined)).toHaveLength(2);
  });

  it('counts the usage of a call once, the most complete', async () => {
    const sizes = [1, 40, 7];
    const lines = sizes.map((size) => assistant('m1', [{ type: 'text', text: `${size}` }], { usage: usage(size) }));
    const [message] = messagesOf(await recordsIn(linesOf(...lines)));
    expect(message?.usage?.outputTokens).toBe(40);
  });

  it('counts a call once when its lines lie apart', async () => {
    const [first, other] = ['m1', 'm2'].map((id) => assistant(id, [{ type: 'text', text: id }]));
    const messages = messagesOf(await recordsIn(linesOf(first, other, first)));
    expect(messages.map(({ call }) => call !== undefined)).toEqual([true, true, false]);
    expect(messages.map(({ usage }) => usage !== undefined)).toEqual([true, true, false]);
  });

  it.each([
    ['5m', { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 0 }],
    ['1h', { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 10 }],
    [undefined, { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 }],
  ])('says that its cache lives %s', async (ttl, cache_creation) => {
    const line = assistant('m1', [{ type: 'text', text: 'x' }], { usage: usage(1, { cache_creation }) });
    expect(messagesOf(await recordsIn(linesOf(line)))[0]?.call?.cacheWriteTtl).toBe(ttl);
  });

  it('keeps what the tool says in the place of the model, which is no call', async () => {
    const line = assistant('x', [{ type: 'text', text: 'API Error' }], { model: '<synthetic>' });
    const [message] = messagesOf(await recordsIn(linesOf(line)));
    expect(message).toMatchObject({ message: { role: 'assistant' }, provenance: { kind: 'system-event' } });
    expect(message).not.toHaveProperty('call');
    expect(message).not.toHaveProperty('usage');
  });

  it('marks what the tool says in the place of the user', async () => {
    const [meta, own] = messagesOf(await recordsIn(linesOf(user('Caveat', { isMeta: true }), user('hello'))));
    expect(meta?.provenance).toEqual({ kind: 'system-event' });
    expect(own).not.toHaveProperty('provenance');
  });

  it('passes lines of side chains over, and counts them', async () => {
    const side = { isSidechain: true };
    const lines = linesOf(user('warm-up', side), user('go'), { ...assistant('m1', [call('a')]), ...side }, user('on'));
    expect(kindsOf(await recordsIn(lines))).toEqual(['unknown side-chain', 'user', 'unknown side-chain', 'user']);
  });

  it('is a conversation of its own when every line is of a side chain', async () => {
    const lines = [user('task'), assistant('m1', [call('a')]), result('a', 'ok')].map((line) => ({
      ...line,
      isSidechain: true,
    }));
    expect(kindsOf(await recordsIn(linesOf(...lines)))).toEqual(['user', 'assistant', 'tool']);
  });

  it('shows a compaction as one record, with its boundary and its summary', async () => {
    const boundary = {
      ...base,
      type: 'system',
      subtype: 'compact_boundary',
      compactMetadata: { trigger: 'auto', preTokens: 167_000 },
    };
    const records = await recordsIn(
      linesOf(user('one'), boundary, user('In short', { isCompactSummary: true }), user('two')),
    );
    expect(kindsOf(records)).toEqual(['user', 'compaction', 'user']);
    expect(records[1]).toEqual({
      kind: 'compaction',
      line: 2,
      data: {
        format: 'claude-code',
        summary: 'In short',
        at: Date.parse(at(0)),
        trigger: 'auto',
        tokensBefore: 167_000,
      },
    });
  });

  it.each([
    ['boundary without summary', [{ ...base, type: 'system', subtype: 'compact_boundary' }], [null]],
    ['summary without boundary', [user('In short', { isCompactSummary: true })], ['In short']],
    [
      'two boundaries',
      [
        { ...base, type: 'system', subtype: 'compact_boundary' },
        { ...base, type: 'system', subtype: 'compact_boundary' },
        user([{ type: 'text', text: 'In short' }], { isCompactSummary: true }),
      ],
      [null, 'In short'],
    ],
  ])('loses no compaction: %s', async (_, lines, summaries) => {
    const records = await recordsIn(linesOf(user('one'), ...lines));
    expect(records.flatMap((record) => (record.kind === 'compaction' ? [record.data.summary] : []))).toEqual(summaries);
  });

  it('splits a line that holds results and text', async () => {
    const both = user([
      { type: 'text', text: 'stop' },
      { type: 'tool_result', tool_use_id: 'a', content: 'ok' },
    ]);
    const records = await recordsIn(linesOf(assistant('m1', [call('a')]), both));
    expect(kindsOf(records)).toEqual(['assistant', 'tool', 'user']);
    expect(messagesOf(records).map(({ key }) => key)).toEqual(['line:1', 'line:2', 'line:2.2']);
  });

  // content of the block · is_error · output
  it.each([
    ['plain', false, { type: 'text', value: 'plain' }],
    ['plain', true, { type: 'error-text', value: 'plain' }],
    [undefined, false, { type: 'text', value: '' }],
    [[], false, { type: 'text', value: '' }],
    [[{ type: 'text', text: 'one' }], false, { type: 'text', value: 'one' }],
    [
      [
        { type: 'text', text: 'one' },
        { type: 'text', text: 'two' },
      ],
      true,
      { type: 'error-text', value: 'one\ntwo' },
    ],
    [
      [
        { type: 'text', text: 'one' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
      ],
      true,
      {
        type: 'content',
        value: [
          { type: 'text', text: 'one' },
          { type: 'image', image: 'AAAA', mediaType: 'image/png' },
        ],
      },
    ],
  ])('reads the result %j, error %j', async (content, is_error, output) => {
    const records = await recordsIn(linesOf(assistant('m1', [call('a')]), result('a', content, { is_error })));
    expect(messagesOf(records)[1]?.message.content).toEqual([
      { type: 'tool-result', toolCallId: 'a', toolName: 'Read', output },
    ]);
  });

  it('passes orphans, results before calls and repeated ids on, in the order of the file', async () => {
    const lines = linesOf(
      result('a', 'ok'),
      assistant('m1', [call('a'), call('a')]),
      result('a', 'ok'),
      result('a', 'ok'),
      result('z', 'ok'),
      user('go'),
      user('go'),
    );
    const records = await recordsIn(lines);
    expect(kindsOf(records)).toEqual(['tool', 'assistant', 'tool', 'tool', 'tool', 'user', 'user']);
    const keys = messagesOf(records).map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('keeps sealed reasoning, images and documents, and names what it does not know', async () => {
    const lines = linesOf(
      user([
        { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } },
        {
          type: 'document',
          title: 'a.pdf',
          source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
        },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'words' } },
        { type: 'hologram', data: 1 },
      ]),
      assistant('m1', [{ type: 'redacted_thinking', data: 'x' }, { type: 'server_tool_use', id: 'a' }, 'loose']),
    );
    const records = await recordsIn(lines);
    expect(kindsOf(records)).toEqual([
      'user',
      'unknown content:hologram',
      'assistant',
      'unknown content:server_tool_use',
      'unknown content:string',
    ]);
    expect(messagesOf(records).map(({ message }) => message.content)).toEqual([
      [
        { type: 'image', image: 'https://example.org/a.png' },
        { type: 'file', data: 'JVBERi0=', mediaType: 'application/pdf', filename: 'a.pdf' },
        { type: 'text', text: 'words' },
      ],
      [{ type: 'reasoning', text: '', providerOptions: { anthropic: { redactedData: 'x' } } }],
    ]);
  });

  it('gives a message out before the end of the file when much lies between its lines', async () => {
    const noise = Array.from({ length: 5_000 }, () => ({ ...base, type: 'progress' }));
    const lines = linesOf(assistant('m1', [call('a')]), ...noise, assistant('m1', [call('b')]), result('b', 'ok'));
    const messages = messagesOf(await recordsIn(lines));
    expect(messages.map(({ message, call }) => [message.role, call !== undefined])).toEqual([
      ['assistant', true],
      ['assistant', false],
      ['tool', false],
    ]);
  });
});
