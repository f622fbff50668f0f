import { fromAnthropic, invalidCallResults, toAnthropic } from '@varve/adapters/anthropic';
import { describe, expect, it } from 'vitest';
import { helloPrompt, readTool } from '../fake-client.ts';

const model = 'claude-test';

/** What goes back for an answer, with a result behind each of its calls. */
function sentAgain(content: readonly { readonly type: string }[]): readonly unknown[] {
  const { message } = fromAnthropic({ content, stop_reason: 'end_turn' });
  const messages = [...helloPrompt.messages, message, { role: 'user', content: 'go on' } as const];
  return toAnthropic({ ...helloPrompt, messages }, { model, cache: 'none' }).messages[1]?.content ?? [];
}

describe('an answer', () => {
  it('keeps every block: text, reasoning, calls, and why it ended', () => {
    const { message, usage } = fromAnthropic({
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'signed' },
        { type: 'redacted_thinking', data: 'sealed' },
        { type: 'text', text: 'I look.', citations: null },
        { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'a' }, caller: { type: 'direct' } },
      ] as never,
      stop_reason: 'tool_use',
      usage: { input_tokens: 3, output_tokens: 5, cache_read_input_tokens: 7, cache_creation_input_tokens: 11 },
    });
    expect(message).toEqual({
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'hm', providerOptions: { anthropic: { signature: 'signed' } } },
        { type: 'reasoning', text: '', providerOptions: { anthropic: { redactedData: 'sealed' } } },
        { type: 'text', text: 'I look.' },
        { type: 'tool-call', toolCallId: 'toolu_1', toolName: 'read', input: { path: 'a' } },
      ],
      stop: 'tool-calls',
    });
    expect(usage).toEqual({ inputTokens: 3, outputTokens: 5, cacheReadTokens: 7, cacheWriteTokens: 11 });
  });

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['tool_use', 'tool-calls'],
    ['refusal', 'content-filter'],
    ['pause_turn', 'other'],
    [null, 'other'],
  ])('that ended by %s says %s', (stop_reason, stop) => {
    expect(fromAnthropic({ content: [], stop_reason }).message.stop).toBe(stop);
  });

  it('has no usage when none was reported, and leaves out what was not', () => {
    expect(fromAnthropic({ content: [], stop_reason: null }).usage).toBeNull();
    const usage = { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: null };
    expect(fromAnthropic({ content: [], stop_reason: null, usage }).usage).toEqual({ inputTokens: 1, outputTokens: 2 });
  });

  it('gives tools their own names back', () => {
    const name = toAnthropic(helloPrompt, { model, tools: [readTool] }).tools?.[0]?.name;
    const content = [
      { type: 'tool_use', id: 'a', name, input: {} },
      { type: 'tool_use', id: 'b', name: 'other', input: {} },
    ];
    const { message } = fromAnthropic({ content, stop_reason: 'tool_use' }, { tools: [readTool] });
    expect(message.content).toMatchObject([{ toolName: 'fs.read' }, { toolName: 'other' }]);
  });

  it('keeps an input that is no JSON, and an error answers its call', () => {
    const content = [
      { type: 'tool_use', id: 'a', name: 'read', input: '{"path": "b' },
      { type: 'tool_use', id: 'b', name: 'read', input: {} },
    ];
    const { message } = fromAnthropic({ content, stop_reason: 'max_tokens' });
    expect(message.content).toMatchObject([{ input: '{"path": "b' }, { input: {} }]);
    expect(invalidCallResults(message)).toEqual([
      {
        type: 'tool-result',
        toolCallId: 'a',
        toolName: 'read',
        output: { type: 'error-text', value: expect.stringContaining('{"path": "b') },
      },
    ]);
    expect(invalidCallResults({ role: 'assistant', content: 'hi' })).toEqual([]);
  });
});

describe('invalidCallResults', () => {
  it('shows no half of a character where it cuts an input', () => {
    const input = `{${'x'.repeat(198)}😀`;
    const content = [{ type: 'tool_use', id: 'a', name: 'read', input }];
    const { message } = fromAnthropic({ content, stop_reason: 'max_tokens' });
    const [result] = invalidCallResults(message);
    expect(result?.output.value).toMatch(/x$/);
  });
});

describe('what goes back of an answer', () => {
  it('is byte for byte what came, also blocks of types that are not known', () => {
    const content = [
      { type: 'thinking', thinking: '', signature: 'signed' },
      { type: 'redacted_thinking', data: 'sealed' },
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [{ type: 'web_search_result', url: 'u' }] },
      { type: 'block_of_tomorrow', a: { b: [1, null, 'c'] } },
      { type: 'text', text: 'So.', citations: [{ type: 'char_location', cited_text: 'x', start_char_index: 0 }] },
      { type: 'tool_use', id: 'a', name: 'read', input: {}, caller: { type: 'code_execution', tool_id: 'c' } },
    ];
    expect(JSON.stringify(sentAgain(content).slice(0, content.length))).toBe(JSON.stringify(content));
  });

  it('has no fields that say nothing: the API refuses them in a request', () => {
    expect(sentAgain([{ type: 'text', text: 'So.', citations: null } as never])).toEqual([
      { type: 'text', text: 'So.' },
    ]);
  });
});
