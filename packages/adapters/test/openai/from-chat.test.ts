import {
  fromOpenAIChat,
  invalidCallResults,
  type OpenAIChatReplyMessage,
  type OpenAIChatUsage,
  toOpenAIChat,
} from '@varve/adapters/openai';
import { describe, expect, it } from 'vitest';
import { helloPrompt, readTool } from '../fake-client.ts';

function read(message: OpenAIChatReplyMessage, finish_reason: string | null = 'stop') {
  return fromOpenAIChat({ choices: [{ finish_reason, message }] }).message;
}

function usageOf(usage: OpenAIChatUsage | null) {
  return fromOpenAIChat({ choices: [{ message: { content: 'hi' } }], usage }).usage;
}

const callOf = (id: string | undefined, text: string) => ({
  ...(id === undefined ? {} : { id }),
  type: 'function',
  function: { name: 'read', arguments: text },
});

describe('an answer of the Chat Completions API', () => {
  it('is read with its calls, some of them at once', () => {
    expect(
      read({ content: 'I look.', tool_calls: [callOf('a', '{"path":"x"}'), callOf('b', '')] }, 'tool_calls'),
    ).toEqual({
      role: 'assistant',
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'tool-call', toolCallId: 'a', toolName: 'read', input: { path: 'x' } },
        { type: 'tool-call', toolCallId: 'b', toolName: 'read', input: {} },
      ],
      stop: 'tool-calls',
    });
  });

  it('keeps arguments that are no JSON, and an error answers their call', () => {
    const message = read({ content: null, tool_calls: [callOf('a', '{"path": ')] }, 'length');
    expect(message).toMatchObject({ content: [{ input: '{"path": ' }], stop: 'length' });
    expect(invalidCallResults(message)).toMatchObject([{ toolCallId: 'a', output: { type: 'error-text' } }]);
  });

  it('keeps refusals, and reasoning with the field that it came in', () => {
    expect(read({ content: null, refusal: 'No.' }).content).toEqual([
      { type: 'text', text: 'No.', providerOptions: { openai: { refusal: true } } },
    ]);
    expect(read({ content: 'So.', reasoning: 'hm' }).content).toEqual([
      { type: 'reasoning', text: 'hm', providerOptions: { openai: { reasoningField: 'reasoning' } } },
      { type: 'text', text: 'So.' },
    ]);
  });

  it('that refuses says so, although the API calls it the end', () => {
    expect(read({ content: null, refusal: 'No.' }, 'stop').stop).toBe('content-filter');
    expect(read({ content: 'So.', refusal: 'No.' }, 'length').stop).toBe('length');
  });

  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['tool_calls', 'tool-calls'],
    ['function_call', 'tool-calls'],
    ['content_filter', 'content-filter'],
    ['error', 'error'],
    ['eos', 'other'],
    [null, 'other'],
  ])('that finished by %s says %s', (finish, stop) => {
    expect(read({ content: 'hi' }, finish).stop).toBe(stop);
  });

  it('that calls says so, whatever its server says; a call without an id gets one', () => {
    const message = read({ content: null, tool_calls: [callOf(undefined, '{}'), callOf('', '{}')] });
    expect(message).toMatchObject({
      stop: 'tool-calls',
      content: [{ toolCallId: 'call-0' }, { toolCallId: 'call-1' }],
    });
  });

  it('gives tools their own names back', () => {
    const name = toOpenAIChat(helloPrompt, { model: 'm', tools: [readTool] }).tools?.[0]?.function.name ?? '';
    const tool_calls = [{ id: 'a', type: 'function', function: { name, arguments: '{}' } }];
    const { message } = fromOpenAIChat({ choices: [{ message: { tool_calls } }] }, { tools: [readTool] });
    expect(message.content).toMatchObject([{ toolName: 'fs.read' }]);
  });

  it.each<[OpenAIChatUsage | null, object | null]>([
    [null, null],
    [{ prompt_tokens: 5 }, null],
    [
      { prompt_tokens: 5, completion_tokens: 2 },
      { inputTokens: 5, outputTokens: 2 },
    ],
    [
      { prompt_tokens: 5, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 3, cache_write_tokens: 1 } },
      { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 1 },
    ],
    [
      { prompt_tokens: 5, completion_tokens: 2, prompt_cache_hit_tokens: 4 },
      { inputTokens: 1, outputTokens: 2, cacheReadTokens: 4 },
    ],
  ])('reports %j as %j', (usage, expected) => {
    expect(usageOf(usage)).toEqual(expected);
  });
});
