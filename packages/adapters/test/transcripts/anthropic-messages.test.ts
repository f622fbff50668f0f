import { describe, expect, it } from 'vitest';
import { kindsOf, linesOf, messagesOf, recordsIn } from './in-file.ts';
import { anthropicConversation } from './sample-conversations.ts';

describe('messages in the form of Anthropic', () => {
  // form · content · key of the result
  it.each([
    ['a JSON array', JSON.stringify(anthropicConversation), 'message:3'],
    ['an object with messages', JSON.stringify({ messages: anthropicConversation }, null, 2), 'message:3'],
    ['one message a line', linesOf(...anthropicConversation), 'line:3'],
  ])('are read from %s, results before what the user says with them', async (_, content, key) => {
    const records = await recordsIn(content);
    expect(kindsOf(records)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant']);
    expect(messagesOf(records).slice(1, 4)).toMatchObject([
      {
        call: { provider: 'anthropic' },
        message: {
          content: [
            { type: 'text', text: 'I read.' },
            { type: 'tool-call', toolCallId: 'toolu_1', toolName: 'read', input: { path: 'a' } },
          ],
        },
      },
      {
        key,
        message: { content: [{ toolCallId: 'toolu_1', toolName: 'read', output: { type: 'text', value: 'A' } }] },
      },
      { key: `${key}.2`, message: { content: [{ type: 'text', text: 'And be quick.' }] } },
    ]);
  });

  it.each([
    ['Be brief.', 'Be brief.'],
    [
      [
        { type: 'text', text: 'Be brief.' },
        { type: 'text', text: 'Be kind.' },
      ],
      'Be brief.\nBe kind.',
    ],
  ])('have the system prompt of a body in front: %j', async (system, text) => {
    const body = { model: 'claude-test', max_tokens: 10, system, messages: [{ role: 'user', content: 'Hello.' }] };
    const [first, second] = messagesOf(await recordsIn(JSON.stringify(body)));
    expect(first).toMatchObject({ key: 'system', line: 1, message: { role: 'system', content: text } });
    expect(second).toMatchObject({ key: 'message:1', line: 1 });
  });

  it('have no system prompt where it is empty', async () => {
    const body = { system: '', messages: anthropicConversation };
    expect(kindsOf(await recordsIn(JSON.stringify(body)))).toEqual(['user', 'assistant', 'tool', 'user', 'assistant']);
  });

  it('keep what a response says about its call', async () => {
    const response = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-other',
      stop_reason: 'max_tokens',
      content: [{ type: 'thinking', thinking: 'hm', signature: 'sig' }],
      usage: {
        input_tokens: 1,
        output_tokens: 2,
        cache_read_input_tokens: 3,
        cache_creation_input_tokens: 4,
        cache_creation: { ephemeral_1h_input_tokens: 4 },
      },
    };
    const body = { model: 'claude-test', messages: [response, { role: 'assistant', content: 'Done.' }] };
    const [answer, next] = messagesOf(await recordsIn(JSON.stringify(body)));
    expect(answer).toMatchObject({
      usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 },
      call: { provider: 'anthropic', model: 'claude-other', stop: 'length', cacheWriteTtl: '1h' },
      message: { stop: 'length', content: [{ type: 'reasoning', text: 'hm' }] },
    });
    expect(next?.call).toMatchObject({ model: 'claude-test' });
  });

  it('keep what is no message, and no known part of one, as unknown', async () => {
    const odd = [
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }, { type: 'smell' }] },
      { role: 'assistant', content: [{ type: 'server_tool_use', id: 'a' }] },
      { role: 'assistant', content: 5 },
      { role: 'user', content: 5 },
      { role: 'system', content: [] },
      { role: 'system', content: 'Be brief.' },
      { role: 'narrator', content: 'x' },
      null,
    ];
    expect(kindsOf(await recordsIn(JSON.stringify(odd)))).toEqual([
      ...['tool', 'unknown content:smell', 'assistant', 'unknown content:server_tool_use'],
      ...['unknown object', 'unknown object', 'unknown object', 'system', 'unknown object', 'unknown null'],
    ]);
  });
});
