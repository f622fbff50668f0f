import { type OpenAIItem, type ToOpenAIResponsesOptions, toOpenAIResponses } from '@varve/adapters/openai';
import type { AssistantMessage, Message, MessagePart, ToolOutput } from '@varve/core';
import { describe, expect, it } from 'vitest';
import { helloPrompt, readTool } from '../fake-client.ts';

const model = 'gpt-test';
const hello: Message = { role: 'user', content: 'hello' };
const png = 'iVBORw0KGgo=';

function sent(messages: readonly Message[], options: Partial<ToOpenAIResponsesOptions> = {}): OpenAIItem[] {
  return toOpenAIResponses({ system: [], messages }, { model, ...options }).input;
}

function spoken(...content: readonly MessagePart[]): AssistantMessage {
  return { role: 'assistant', content: content as AssistantMessage['content'] };
}

const thought = (id: string, encrypted_content?: string): MessagePart => ({
  type: 'reasoning',
  text: '',
  providerOptions: {
    openai: { item: { type: 'reasoning', id, summary: [], ...(encrypted_content ? { encrypted_content } : {}) } },
  },
});
const said = (text: string, itemId?: string): MessagePart => ({
  type: 'text',
  text,
  ...(itemId === undefined ? {} : { providerOptions: { openai: { itemId } } }),
});
const call: MessagePart = {
  type: 'tool-call',
  toolCallId: 'call_1',
  toolName: 'read',
  input: { path: 'x' },
  providerOptions: { openai: { itemId: 'fc_1' } },
};
const result = (output: ToolOutput): Message => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId: 'call_1', toolName: 'read', output }],
});

describe('a body of the Responses API', () => {
  it('has the system prompt as instructions, later ones as the developer', () => {
    const messages: Message[] = [hello, { role: 'system', content: 'Hurry.' }];
    const body = toOpenAIResponses({ ...helloPrompt, messages }, { model });
    expect(body).toEqual({
      model,
      instructions: 'Be brief.',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'hello' }] },
        { role: 'developer', content: 'Hurry.' },
      ],
      store: false,
      include: ['reasoning.encrypted_content'],
    });
  });

  it('asks for no encrypted reasoning when the provider keeps it, and never for fewer than 16 tokens', () => {
    expect(toOpenAIResponses(helloPrompt, { model, store: true })).not.toHaveProperty('include');
    expect(toOpenAIResponses(helloPrompt, { model, maxTokens: 3 }).max_output_tokens).toBe(16);
    expect(toOpenAIResponses(helloPrompt, { model, maxTokens: 300, cacheKey: 'k' })).toMatchObject({
      max_output_tokens: 300,
      prompt_cache_key: 'k',
    });
  });

  it('has tools and their choice', () => {
    const body = toOpenAIResponses(helloPrompt, { model, tools: [readTool], toolChoice: { tool: 'fs.read' } });
    const name = expect.stringMatching(/^fs_read_[a-z0-9]{14}$/);
    expect(body.tools).toEqual([
      { type: 'function', name, description: 'Reads a file.', parameters: readTool.inputSchema, strict: false },
    ]);
    expect(body.tool_choice).toEqual({ type: 'function', name });
    expect(toOpenAIResponses(helloPrompt, { model, tools: [readTool], toolChoice: 'required' }).tool_choice).toBe(
      'required',
    );
  });

  it('says something even when nothing can be sent', () => {
    expect(sent([{ role: 'user', content: '' }])).toHaveLength(1);
  });
});

describe('what the model said', () => {
  it('goes back as the items that it was, when their reasoning does', () => {
    const message = spoken(thought('rs_1', 'sealed'), said('I look.', 'msg_1'), call);
    expect(sent([hello, message, result({ type: 'text', value: 'ok' })]).slice(1)).toEqual([
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed' },
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'I look.', annotations: [] }],
      },
      { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'read', arguments: '{"path":"x"}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'ok' },
    ]);
  });

  it('goes back without ids when the reasoning is not there: the API refuses one without the other', () => {
    const items = sent([hello, spoken(said('I look.', 'msg_1'), call), result({ type: 'text', value: 'ok' })]);
    expect(items[1]).toEqual({ role: 'assistant', content: 'I look.' });
    expect(items[2]).not.toHaveProperty('id');
  });

  it.each([
    ['cannot be read', false, undefined, false],
    ['is sealed', false, 'sealed', true],
    ['is kept by the provider', true, undefined, true],
  ])('goes back with reasoning that %s', (_, store, encrypted, isSent) => {
    const items = sent([hello, spoken(thought('rs_1', encrypted), said('So.'))], { store });
    expect(items.some((item) => 'type' in item && item.type === 'reasoning')).toBe(isSent);
  });

  it('goes back without reasoning that nothing came of, and without items that were sent already', () => {
    const types = (messages: readonly Message[]) =>
      sent(messages).map((item) => ('type' in item ? item.type : item.role));
    expect(types([hello, spoken(thought('rs_1', 's'))])).toEqual(['user']);
    expect(types([hello, spoken(said('So.'), thought('rs_1', 's'))])).toEqual(['user', 'assistant']);
    const twice = spoken(thought('rs_1', 's'), said('So.', 'msg_1'));
    expect(types([hello, twice, hello, twice])).toEqual(['user', 'reasoning', 'message', 'user', 'assistant']);
  });

  it('is one message where texts were in one, with refusals', () => {
    const refused: MessagePart = {
      type: 'text',
      text: 'No.',
      providerOptions: { openai: { itemId: 'msg_1', refusal: true } },
    };
    const items = sent([hello, spoken(thought('rs_1', 's'), said('So.', 'msg_1'), refused, said('Else.', 'msg_2'))]);
    expect(items.slice(2)).toMatchObject([
      { id: 'msg_1', content: [{ text: 'So.' }, { type: 'refusal', refusal: 'No.' }] },
      { id: 'msg_2', content: [{ text: 'Else.' }] },
    ]);
  });

  it('names files that it made', () => {
    const file: MessagePart = { type: 'file', data: png, mediaType: 'image/png', filename: 'plot.png' };
    expect(sent([hello, spoken(file)])[1]).toEqual({
      role: 'assistant',
      content: '[file plot.png (image/png) is not shown]',
    });
  });
});

describe('what is put in', () => {
  it.each([
    [
      { type: 'image', image: png },
      { type: 'input_image', detail: 'auto', image_url: `data:image/png;base64,${png}` },
    ],
    [
      { type: 'image', image: 'https://example.org/a.png' },
      { type: 'input_image', detail: 'auto', image_url: 'https://example.org/a.png' },
    ],
    [
      { type: 'file', data: 'AAAA', mediaType: 'application/pdf' },
      { type: 'input_file', filename: 'document.pdf', file_data: 'data:application/pdf;base64,AAAA' },
    ],
    [
      { type: 'file', data: 'https://example.org/a.pdf', mediaType: 'application/pdf' },
      { type: 'input_file', file_url: 'https://example.org/a.pdf' },
    ],
    [
      { type: 'file', data: 'aGk=', mediaType: 'text/plain' },
      { type: 'input_text', text: 'hi' },
    ],
    [
      { type: 'file', data: 'AAAA', mediaType: 'audio/wav', filename: 'a.wav' },
      { type: 'input_text', text: '[file a.wav (audio/wav) is not shown]' },
    ],
  ])('%j is %j', (part, content) => {
    expect(sent([{ role: 'user', content: [part] } as Message])).toEqual([{ role: 'user', content: [content] }]);
  });

  it.each<[ToolOutput, unknown]>([
    [{ type: 'error-text', value: 'no' }, 'Error: no'],
    [{ type: 'json', value: [1] }, '[1]'],
    [{ type: 'content', value: [{ type: 'text', text: 'a' }] }, 'a'],
    [{ type: 'content', value: [] }, ''],
    [
      {
        type: 'content',
        value: [
          { type: 'text', text: 'a' },
          { type: 'image', image: png },
        ],
      },
      [
        { type: 'input_text', text: 'a' },
        { type: 'input_image', detail: 'auto', image_url: `data:image/png;base64,${png}` },
      ],
    ],
  ])('the output of %j is %j', (output, expected) => {
    expect(sent([hello, spoken(call), result(output)])[2]).toEqual({
      type: 'function_call_output',
      call_id: 'call_1',
      output: expected,
    });
  });
});
