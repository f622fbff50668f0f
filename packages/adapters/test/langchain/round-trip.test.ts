import {
  AIMessage,
  AIMessageChunk,
  ChatMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { fromLangChain, type LangChainMessage, toLangChain, usageOfLangChain } from '@varve/adapters/langchain';
import type { Message } from '@varve/core';
import { describe, expect, expectTypeOf, it } from 'vitest';

/** As the session would hand them out again, if it changed nothing. */
function sentAgain(messages: readonly LangChainMessage[]): unknown[] {
  const stored = JSON.parse(JSON.stringify(fromLangChain(messages))) as Message[];
  return toLangChain({ system: [], messages: stored });
}

/** An answer with such a report. */
function reporting(usage_metadata: object): LangChainMessage {
  return Object.assign(new AIMessage('hi'), { usage_metadata });
}

const signed = { type: 'thinking', thinking: 'Hm.', signature: 's' };
const call = { id: 'c1', name: 'read', args: { page: 1 }, type: 'tool_call' as const };
const used = { type: 'tool_use', id: 'c1', name: 'read', input: { page: 1 } };

const cases: Readonly<Record<string, readonly [LangChainMessage, object]>> = {
  'a text': [new HumanMessage('hello'), { type: 'human', content: 'hello' }],
  'an id and a name': [
    new HumanMessage({ content: 'hello', id: 'm1', name: 'ada' }),
    { type: 'human', content: 'hello', id: 'm1', name: 'ada' },
  ],
  'an image in the form of OpenAI': [
    new HumanMessage({ content: [{ type: 'image_url', image_url: { url: 'https://example.org/a.png' } }] }),
    { type: 'human', content: [{ type: 'image_url', image_url: { url: 'https://example.org/a.png' } }] },
  ],
  'an image in a standard block, and a text with a mark for a cache': [
    new HumanMessage({
      content: [
        { type: 'image', source_type: 'base64', mime_type: 'image/png', data: 'iVBORw0KGgoAAA' },
        { type: 'text', text: 'See?', cache_control: { type: 'ephemeral' } },
      ],
    }),
    {
      type: 'human',
      content: [
        { type: 'image', source_type: 'base64', mime_type: 'image/png', data: 'iVBORw0KGgoAAA' },
        { type: 'text', text: 'See?', cache_control: { type: 'ephemeral' } },
      ],
    },
  ],
  'signed thinking and calls in blocks': [
    new AIMessage({ content: [signed, { type: 'text', text: 'Look:' }, used], tool_calls: [call] }),
    { type: 'ai', content: [signed, { type: 'text', text: 'Look:' }, used], tool_calls: [call] },
  ],
  'calls beside a text': [
    new AIMessage({ content: '', tool_calls: [call] }),
    { type: 'ai', content: '', tool_calls: [call] },
  ],
  'blocks of unknown types': [
    new AIMessage({ content: [{ type: 'hologram', beams: 2 }] }),
    { type: 'ai', content: [{ type: 'hologram', beams: 2 }] },
  ],
  'a call that could not be read': [
    {
      ...{ type: 'ai', content: '' },
      invalid_tool_calls: [{ id: 'c9', name: 'read', args: '{"page":', error: 'no JSON', type: 'invalid_tool_call' }],
      additional_kwargs: {
        tool_calls: [{ id: 'c9', type: 'function', function: { name: 'read', arguments: '{"page":' } }],
        note: 1,
      },
    } as LangChainMessage,
    {
      type: 'ai',
      content: '',
      invalid_tool_calls: [{ id: 'c9', name: 'read', args: '{"page":', error: 'no JSON', type: 'invalid_tool_call' }],
      additional_kwargs: { note: 1 },
    },
  ],
  'a result': [
    new ToolMessage({ content: 'page 1', tool_call_id: 'c1', name: 'read', artifact: { big: true } }),
    { type: 'tool', content: 'page 1', tool_call_id: 'c1', name: 'read' },
  ],
  'a failed result': [
    new ToolMessage({ content: 'gone', tool_call_id: 'c1', name: 'read', status: 'error' }),
    { type: 'tool', content: 'gone', tool_call_id: 'c1', name: 'read', status: 'error' },
  ],
  'a result in blocks': [
    new ToolMessage({ content: [{ type: 'text', text: 'page 1' }], tool_call_id: 'c1', name: 'read' }),
    { type: 'tool', content: [{ type: 'text', text: 'page 1' }], tool_call_id: 'c1', name: 'read' },
  ],
  'a message of any role': [new ChatMessage('hello', 'user'), { type: 'human', content: 'hello' }],
  'plain fields': [{ role: 'user', content: 'hello' } as LangChainMessage, { type: 'human', content: 'hello' }],
};

describe('messages of LangChain', () => {
  it.each(Object.entries(cases))('come back as they were: %s', (_what, [given, expected]) => {
    expect(sentAgain([given])).toEqual([expected]);
  });

  it('are of the types that are read', () => {
    expectTypeOf<AIMessage>().toExtend<LangChainMessage>();
    expectTypeOf<AIMessageChunk>().toExtend<LangChainMessage>();
  });

  it('are read when they were put together out of chunks', () => {
    const first = new AIMessageChunk({
      content: 'Lo',
      tool_call_chunks: [{ id: 'c1', name: 'read', args: '{"pa', index: 0 }],
    });
    const whole = first.concat(new AIMessageChunk({ content: 'ok', tool_call_chunks: [{ args: 'ge":1}', index: 0 }] }));
    expect(fromLangChain([whole])).toEqual([
      {
        role: 'assistant',
        stop: 'tool-calls',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'read', input: { page: 1 } },
        ],
      },
    ]);
  });

  it('name the tool of a result that does not name it by the call before', () => {
    const [, result] = fromLangChain([
      new AIMessage({ content: '', tool_calls: [call] }),
      new ToolMessage({ content: 'page 1', tool_call_id: 'c1' }),
    ]);
    expect(result).toMatchObject({ content: [{ toolName: 'read' }] });
  });

  it('show what an edit has put in the place of a block', () => {
    const [message] = fromLangChain([
      new HumanMessage({ content: [{ type: 'text', text: 'secret', annotations: [] }] }),
    ]);
    const [part] = (message?.content ?? []) as readonly object[];
    const edited = { ...message, content: [{ ...part, text: '[left out]' }] } as unknown as Message;
    expect(toLangChain({ system: [], messages: [edited] })).toEqual([
      { type: 'human', content: [{ type: 'text', text: '[left out]' }] },
    ]);
  });

  it('have the system prompt as one message in front', () => {
    const system = ['Be brief.', ' ', 'Be kind.'].map((text) => ({ layer: 'a', text }));
    expect(toLangChain({ system, messages: [] })).toEqual([{ type: 'system', content: 'Be brief.\n\nBe kind.' }]);
    expect(fromLangChain([new SystemMessage('Be brief.')])).toEqual([{ role: 'system', content: 'Be brief.' }]);
  });

  it('report their usage, or none', () => {
    const usage_metadata = {
      ...{ input_tokens: 30, output_tokens: 7, total_tokens: 37 },
      input_token_details: { cache_read: 10, cache_creation: 5 },
    };
    expect(usageOfLangChain(reporting(usage_metadata))).toEqual({
      ...{ inputTokens: 15, outputTokens: 7, cacheReadTokens: 10, cacheWriteTokens: 5 },
    });
    expect(usageOfLangChain(new AIMessage('hi'))).toBeNull();
    const nothing = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
    expect(usageOfLangChain(reporting(nothing))).toBeNull();
  });

  it.each([
    ['no list', 'x'],
    ['a message without a type', [{ content: 'x' }]],
    ['a type that is not known', [{ type: 'remove', content: '' }]],
    ['no content', [{ type: 'human', content: 3 }]],
    ['a result without the id of its call', [{ type: 'tool', content: 'x' }]],
    ['a call without a name', [{ type: 'ai', content: '', tool_calls: [{ id: 'c' }] }]],
  ])('are refused for %s', (_what, messages) => {
    expect(() => fromLangChain(messages as never)).toThrow(expect.objectContaining({ code: 'VARVE_MESSAGE_INVALID' }));
  });
});
