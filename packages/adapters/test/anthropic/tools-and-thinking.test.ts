import { type AnthropicThinking, type ToolChoice, toAnthropic } from '@varve/adapters/anthropic';
import type { Message } from '@varve/core';
import { describe, expect, it } from 'vitest';
import { helloPrompt, readTool } from '../fake-client.ts';

const model = 'claude-test';

describe('tools', () => {
  it('are named as the API accepts, and their schemas are of objects', () => {
    const plain = { name: 'now', description: ' ', inputSchema: {} };
    const { tools } = toAnthropic(helloPrompt, { model, tools: [readTool, plain] });
    expect(tools).toEqual([
      {
        name: expect.stringMatching(/^fs_read_[a-z0-9]{14}$/),
        description: 'Reads a file.',
        input_schema: readTool.inputSchema,
      },
      { name: 'now', input_schema: { type: 'object' } },
    ]);
  });

  it('are left out with their choice when there are none', () => {
    const body = toAnthropic(helloPrompt, { model, tools: [], toolChoice: 'required' });
    expect(body).not.toHaveProperty('tools');
    expect(body).not.toHaveProperty('tool_choice');
  });

  it.each<[ToolChoice, object]>([
    ['auto', { type: 'auto' }],
    ['required', { type: 'any' }],
    ['none', { type: 'none' }],
    [{ tool: 'fs.read' }, { type: 'tool', name: expect.stringMatching(/^fs_read_/) }],
  ])('are chosen by %j', (toolChoice, tool_choice) => {
    const body = toAnthropic(helloPrompt, { model, tools: [readTool], toolChoice });
    expect(body.tool_choice).toEqual(tool_choice);
    if (body.tool_choice?.type === 'tool') expect(body.tool_choice.name).toBe(body.tools?.[0]?.name);
  });
});

describe('the wish for thinking', () => {
  const enabled: AnthropicThinking = { type: 'enabled', budget_tokens: 2048 };
  const thinkingOf = (messages: readonly Message[], options: Partial<Parameters<typeof toAnthropic>[1]> = {}) =>
    toAnthropic({ ...helloPrompt, messages }, { model, thinking: enabled, ...options }).thinking;
  const hello: Message = { role: 'user', content: 'hello' };
  const signed = { type: 'reasoning', text: 'hm', providerOptions: { anthropic: { signature: 's' } } } as const;
  const call = { type: 'tool-call', toolCallId: 'a', toolName: 'read', input: {} } as const;
  const result: Message = {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'read', output: { type: 'text', value: 'ok' } }],
  };

  it('is sent as it is', () => {
    expect(thinkingOf([hello])).toEqual(enabled);
    expect(thinkingOf([hello], { thinking: { type: 'adaptive' } })).toEqual({ type: 'adaptive' });
    expect(thinkingOf([hello], { thinking: { type: 'disabled' }, toolChoice: 'required', tools: [readTool] })).toEqual({
      type: 'disabled',
    });
    expect(toAnthropic(helloPrompt, { model })).not.toHaveProperty('thinking');
  });

  it.each<[string, readonly Message[], Partial<Parameters<typeof toAnthropic>[1]>]>([
    ['the budget is not below the bound of the answer', [hello], { maxTokens: 2048 }],
    ['a call is forced', [hello], { tools: [readTool], toolChoice: 'required' }],
    ['the answer has begun', [hello, { role: 'assistant', content: 'I' }], {}],
    ['a run of tools began without it', [hello, { role: 'assistant', content: [call] }, result], {}],
  ])('is left out when %s', (_, messages, options) => {
    expect(thinkingOf(messages, options)).toBeUndefined();
  });

  it('stays in a run of tools that began with it, also when later steps went without', () => {
    const later = { ...call, toolCallId: 'b' };
    const answer: Message = {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: 'b', toolName: 'read', output: { type: 'text', value: '' } }],
    };
    const first: Message[] = [hello, { role: 'assistant', content: [signed, call] }, result];
    expect(thinkingOf(first)).toEqual(enabled);
    expect(thinkingOf([...first, { role: 'assistant', content: [later] }, answer])).toEqual(enabled);
  });

  it('does not look at runs that are over', () => {
    const done: Message[] = [
      hello,
      { role: 'assistant', content: [call] },
      result,
      { role: 'assistant', content: 'So.' },
    ];
    expect(thinkingOf([...done, hello])).toEqual(enabled);
  });
});

describe('an image', () => {
  it('of more than 5 MB is named in a text: it would fail every call', () => {
    const image = `iVBORw0KGgo${'A'.repeat(5 * 1024 * 1024)}`;
    const messages: Message[] = [{ role: 'user', content: [{ type: 'image', image }] }];
    const [block] = toAnthropic({ ...helloPrompt, messages }, { model }).messages[0]?.content ?? [];
    expect(block).toMatchObject({ type: 'text', text: '[image above 5 MB (image/png) is not shown]' });
  });
});
