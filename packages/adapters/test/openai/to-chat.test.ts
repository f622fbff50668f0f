import { type OpenAIChatMessage, type ToOpenAIChatOptions, toOpenAIChat } from '@varve/adapters/openai';
import type { AssistantMessage, Message, ToolOutput } from '@varve/core';
import { describe, expect, it } from 'vitest';
import { helloPrompt, readTool } from '../fake-client.ts';

const model = 'gpt-test';
const hello: Message = { role: 'user', content: 'hello' };
const png = 'iVBORw0KGgo=';

function sent(messages: readonly Message[], options: Partial<ToOpenAIChatOptions> = {}): OpenAIChatMessage[] {
  return toOpenAIChat({ system: [], messages }, { model, ...options }).messages;
}

function called(toolCallId: string, input: object | string = {}, toolName = 'read'): AssistantMessage {
  return { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName, input: input as never }] };
}

function result(toolCallId: string, output: ToolOutput): Message {
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName: 'read', output }] };
}

describe('a body of the Chat Completions API', () => {
  it('has the system prompt as one message in front, in the role that is asked for', () => {
    const system = ['Be brief.', ' ', 'Be kind.'].map((text) => ({ layer: text, text }));
    const { messages } = toOpenAIChat({ system, messages: [hello] }, { model });
    expect(messages).toEqual([{ role: 'system', content: 'Be brief.\n\nBe kind.' }, hello]);
    const late: Message = { role: 'system', content: 'Hurry.' };
    const developer = toOpenAIChat({ system, messages: [hello, late] }, { model, systemRole: 'developer' });
    expect(developer.messages.map(({ role }) => role)).toEqual(['developer', 'user', 'developer']);
  });

  it('has a bound under the name that the server knows, tools and a cache key when they are given', () => {
    expect(toOpenAIChat(helloPrompt, { model })).toEqual({
      model,
      messages: [{ role: 'system', content: 'Be brief.' }, hello],
    });
    expect(toOpenAIChat(helloPrompt, { model, maxTokens: 9, cacheKey: 'k' })).toMatchObject({
      max_completion_tokens: 9,
      prompt_cache_key: 'k',
    });
    expect(toOpenAIChat(helloPrompt, { model, maxTokens: 9, maxTokensField: 'max_tokens' })).toMatchObject({
      max_tokens: 9,
    });
    const tools = [readTool, { name: 'now', description: '', inputSchema: {} }];
    const body = toOpenAIChat(helloPrompt, { model, tools, toolChoice: { tool: 'fs.read' } });
    const name = expect.stringMatching(/^fs_read_[a-z0-9]{14}$/);
    expect(body.tools).toEqual([
      { type: 'function', function: { name, description: 'Reads a file.', parameters: readTool.inputSchema } },
      { type: 'function', function: { name: 'now', parameters: { type: 'object', properties: {} } } },
    ]);
    expect(body.tool_choice).toEqual({ type: 'function', function: { name } });
    expect(toOpenAIChat(helloPrompt, { model, toolChoice: 'required' })).not.toHaveProperty('tool_choice');
  });

  it('says something even when nothing can be sent', () => {
    expect(sent([{ role: 'assistant', content: '' }])).toEqual([{ role: 'user', content: expect.any(String) }]);
  });
});

describe('a call and its result', () => {
  it('have arguments as JSON text, and content null when nothing was said', () => {
    expect(sent([hello, called('a', { path: 'x' }), result('a', { type: 'json', value: { ok: true } })])).toEqual([
      hello,
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'read', arguments: '{"path":"x"}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: '{"ok":true}' },
    ]);
  });

  it('are sent as an object when the arguments were no JSON', () => {
    expect(sent([hello, called('a', '{"pa'), result('a', { type: 'error-text', value: 'bad' })])[1]).toMatchObject({
      tool_calls: [{ function: { arguments: '{"value":"{\\"pa"}' } }],
    });
  });

  it('keep their ids when these are accepted, and share one of their own when not', () => {
    for (const id of ['call_1', 'x'.repeat(40), 'x'.repeat(41), 'call|1', '', 'varve-id-1']) {
      const [, call, answer] = sent([hello, called(id), result(id, { type: 'text', value: '' })]);
      if (call?.role !== 'assistant' || answer?.role !== 'tool') throw new Error('no call');
      expect(answer.tool_call_id).toBe(call.tool_calls?.[0]?.id);
      expect(answer.tool_call_id).toMatch(/^[a-zA-Z0-9_-]{1,40}$/);
      expect(answer.tool_call_id === id).toBe(id === 'call_1' || id === 'x'.repeat(40));
    }
  });

  it.each<[ToolOutput, string]>([
    [{ type: 'text', value: '' }, ''],
    [{ type: 'json', value: 'plain' }, 'plain'],
    [{ type: 'error-text', value: 'no such file' }, 'Error: no such file'],
    [{ type: 'error-text', value: 'Error: no' }, 'Error: no'],
    [{ type: 'error-text', value: ' ' }, 'Error: the tool failed without a message.'],
    [{ type: 'error-json', value: { code: 1 } }, 'Error: {"code":1}'],
    [{ type: 'content', value: [] }, ''],
  ])('of %j say %j', (output, content) => {
    expect(sent([hello, called('a'), result('a', output)])[2]).toMatchObject({ content });
  });

  it('show images behind all results of a message: nothing may stand between these', () => {
    const both: Message = {
      role: 'assistant',
      content: ['a', 'b'].map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'shot', input: {} })),
    };
    const image = result('a', { type: 'content', value: [{ type: 'image', image: png }] });
    const text = result('b', { type: 'text', value: 'ok' });
    const messages = sent([hello, both, image, text, { role: 'assistant', content: 'I see.' }]);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user', 'assistant']);
    expect(messages[2]?.content).toBe('[See the next message.]');
    expect(messages[4]?.content).toEqual([
      { type: 'text', text: '[From the result of read, call a]' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
    ]);
  });
});

describe('what the user shows', () => {
  it.each([
    [
      { type: 'image', image: 'https://example.org/a' },
      { type: 'image_url', image_url: { url: 'https://example.org/a' } },
    ],
    [
      { type: 'image', image: 'AAAA', mediaType: 'image/bmp' },
      { type: 'text', text: '[image (image/bmp) is not shown]' },
    ],
    [
      { type: 'file', data: 'AAAA', mediaType: 'audio/mpeg' },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
    ],
    [
      { type: 'file', data: 'AAAA', mediaType: 'application/pdf', filename: 'a.pdf' },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
    ],
    [
      { type: 'file', data: 'aMOp', mediaType: 'text/plain', filename: 'a' },
      { type: 'text', text: 'a:\nhé' },
    ],
    [
      { type: 'file', data: 'https://example.org/a.pdf', mediaType: 'application/pdf', filename: 'a.pdf' },
      { type: 'text', text: '[file a.pdf (application/pdf) is not shown]' },
    ],
    [
      { type: 'file', data: 'AAAA', mediaType: 'video/mp4' },
      { type: 'text', text: '[file (video/mp4) is not shown]' },
    ],
  ])('%j is %j', (part, content) => {
    const shown = { role: 'user', content: [{ type: 'text', text: 'See.' }, part] } as Message;
    expect(sent([shown])[0]?.content).toEqual([{ type: 'text', text: 'See.' }, content]);
  });

  it('is a string when it is one text, and is left out when there is none', () => {
    expect(sent([{ role: 'user', content: [{ type: 'text', text: 'a' }] }])).toEqual([{ role: 'user', content: 'a' }]);
    expect(sent([hello, { role: 'user', content: [] }, { role: 'user', content: '' }])).toEqual([hello]);
  });
});

describe('what the model said', () => {
  const refused = { type: 'text', text: 'No.', providerOptions: { openai: { refusal: true } } } as const;
  const thought = {
    type: 'reasoning',
    text: 'hm',
    providerOptions: { openai: { reasoningField: 'reasoning_content' } },
  } as const;

  it('goes back as text, refusals as such', () => {
    expect(sent([hello, { role: 'assistant', content: [refused] }])[1]).toEqual({
      role: 'assistant',
      content: [{ type: 'refusal', refusal: 'No.' }],
    });
    expect(sent([hello, { role: 'assistant', content: 'Yes.' }])[1]).toEqual({ role: 'assistant', content: 'Yes.' });
  });

  it('names files that it made', () => {
    const file = { type: 'file', data: png, mediaType: 'image/png', filename: 'plot.png' } as const;
    expect(sent([hello, { role: 'assistant', content: [file] }])[1]?.content).toBe(
      '[file plot.png (image/png) is not shown]',
    );
  });

  it('goes back with its reasoning only to servers that want it, in the field that it came in', () => {
    const message: Message = { role: 'assistant', content: [thought, { type: 'text', text: 'So.' }] };
    expect(sent([hello, message])[1]).toEqual({ role: 'assistant', content: 'So.' });
    expect(sent([hello, message], { sendReasoning: true })[1]).toEqual({
      role: 'assistant',
      content: 'So.',
      reasoning_content: 'hm',
    });
  });
});
