import {
  fromOpenAIResponses,
  invalidCallResults,
  type OpenAIResponsesReply,
  toOpenAIResponses,
} from '@varve/adapters/openai';
import { describe, expect, it } from 'vitest';
import { helloPrompt, readTool } from '../fake-client.ts';

const thought = {
  type: 'reasoning',
  id: 'rs_1',
  summary: [{ type: 'summary_text', text: 'hm' }],
  encrypted_content: 'sealed',
};
const said = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'I look.', annotations: [] }],
};
const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'read', arguments: '{"path":"x"}' };

function read(output: readonly { readonly type: string }[], rest: Partial<OpenAIResponsesReply> = {}) {
  return fromOpenAIResponses({ status: 'completed', output, ...rest });
}

describe('an answer of the Responses API', () => {
  it('keeps every item: reasoning, messages, calls', () => {
    const { message, usage } = read([thought, said, { ...call, status: 'completed' }] as never, {
      usage: { input_tokens: 9, output_tokens: 2, input_tokens_details: { cached_tokens: 5, cache_write_tokens: 3 } },
    });
    expect(message).toEqual({
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'hm', providerOptions: { openai: { item: thought } } },
        { type: 'text', text: 'I look.', providerOptions: { openai: { itemId: 'msg_1' } } },
        {
          type: 'tool-call',
          toolCallId: 'call_1',
          toolName: 'read',
          input: { path: 'x' },
          providerOptions: { openai: { itemId: 'fc_1' } },
        },
      ],
      stop: 'tool-calls',
    });
    expect(usage).toEqual({ inputTokens: 1, outputTokens: 2, cacheReadTokens: 5, cacheWriteTokens: 3 });
    expect(read([]).usage).toBeNull();
  });

  it.each<[Partial<OpenAIResponsesReply>, string]>([
    [{}, 'stop'],
    [{ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }, 'length'],
    [{ status: 'incomplete', incomplete_details: { reason: 'content_filter' } }, 'content-filter'],
    [{ status: 'incomplete' }, 'other'],
    [{ status: 'cancelled' }, 'aborted'],
    [{ status: 'failed' }, 'error'],
    [{ status: 'in_progress' }, 'other'],
  ])('%j says %s', (rest, stop) => {
    expect(read([said], rest).message.stop).toBe(stop);
  });

  it('keeps arguments that are no JSON, and an error answers their call', () => {
    const cut = { ...call, arguments: '{"path"' };
    const { message } = read([cut], { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
    expect(message.content).toMatchObject([{ input: '{"path"' }]);
    expect(invalidCallResults(message)).toMatchObject([{ toolCallId: 'call_1', output: { type: 'error-text' } }]);
  });

  it('keeps refusals, and says that it refused although the API calls it the end', () => {
    const refused = { ...said, content: [{ type: 'refusal', refusal: 'No.' }] };
    const { message } = read([refused]);
    expect(message.content).toEqual([
      { type: 'text', text: 'No.', providerOptions: { openai: { itemId: 'msg_1', refusal: true } } },
    ]);
    expect(message.stop).toBe('content-filter');
  });

  it('gives tools their own names back', () => {
    const name = toOpenAIResponses(helloPrompt, { model: 'm', tools: [readTool] }).tools?.[0]?.name;
    const reply = { output: [{ ...call, name }] };
    expect(fromOpenAIResponses(reply, { tools: [readTool] }).message.content).toMatchObject([{ toolName: 'fs.read' }]);
  });
});

describe('what goes back of an answer', () => {
  const sentAgain = (output: readonly { readonly type: string }[]) => {
    const { message } = read(output);
    const messages = [...helloPrompt.messages, message, { role: 'user', content: 'go on' } as const];
    return toOpenAIResponses({ ...helloPrompt, messages }, { model: 'm' }).input.slice(1, -1);
  };

  it('is what came, also items of types that are not known', () => {
    const output = [
      thought,
      { ...thought, id: 'rs_2', summary: [] },
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'x' } },
      { type: 'item_of_tomorrow', a: { b: [1, 'c'] } },
      { ...said, phase: 'commentary' },
      { ...said, id: 'msg_2', content: [...said.content, { type: 'refusal', refusal: 'No.' }] },
      {
        ...said,
        id: 'msg_3',
        content: [{ type: 'output_text', text: 'So.', annotations: [{ type: 'url_citation', url: 'u' }] }],
      },
      { ...call, caller: { type: 'program', caller_id: 'p' } },
    ];
    expect(sentAgain(output)).toEqual(output);
  });

  it('has no fields that say nothing', () => {
    const item = { type: 'web_search_call', id: 'ws_1', status: 'completed', created_by: null };
    expect(sentAgain([{ ...thought, content: null, status: null } as never, item, said])).toEqual([
      thought,
      { type: 'web_search_call', id: 'ws_1', status: 'completed' },
      said,
    ]);
  });
});
