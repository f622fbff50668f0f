import Anthropic from '@anthropic-ai/sdk';
import type { Message } from '@varve/core';
import { answer, type ModelScript } from '@varve/testkit/model-server';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { ask, type Subject, serverFor, subjects } from './model-server-subject.ts';

const [messages] = subjects as [Subject, ...Subject[]];
const client = { apiKey: 'none', maxRetries: 0 };

const script: ModelScript = () =>
  answer([
    { type: 'thinking', text: 'Two files, then the rest.' },
    { type: 'text', text: 'Ich öffne „a“ und b.' },
    { type: 'tool-call', name: 'read_file', input: { path: 'a/ü.ts', lines: [1, 2] } },
    { type: 'tool-call', name: 'read_file', input: {} },
  ]);
const parameters = { type: 'object', properties: { path: { type: 'string' } } } as const;

/** An answer that is streamed and put together by the client is the one that comes whole. */
describe('the own stream reader of the client', () => {
  it('of @anthropic-ai/sdk understands Messages', async () => {
    await using server = await serverFor({ provider: 'anthropic' }, { script });
    const { messages: api } = new Anthropic({ ...client, baseURL: server.url });
    const body = {
      model: 'm',
      max_tokens: 500,
      messages: [{ role: 'user' as const, content: 'Read.' }],
      tools: [{ name: 'read_file', input_schema: parameters }],
    };
    const whole = await api.create(body);
    const streamed = await api.stream(body).finalMessage();
    expect(streamed.content.map(withoutId)).toEqual(whole.content.map(withoutId));
    expect(streamed.stop_reason).toBe('tool_use');
    expect(streamed.usage).toMatchObject({ ...whole.usage, input_tokens: server.requests[0]?.inputTokens });
  });

  it('of openai understands Chat Completions', async () => {
    await using server = await serverFor({ provider: 'openai' }, { script });
    const { chat } = new OpenAI({ ...client, baseURL: server.url });
    const body = {
      model: 'm',
      messages: [{ role: 'user' as const, content: 'Read.' }],
      tools: [{ type: 'function' as const, function: { name: 'read_file', parameters } }],
    };
    const whole = await chat.completions.create(body);
    const options = { include_usage: true };
    const streamed = await chat.completions.stream({ ...body, stream_options: options }).finalChatCompletion();
    const [said] = streamed.choices;
    expect(said).toMatchObject({ finish_reason: 'tool_calls', message: { content: 'Ich öffne „a“ und b.' } });
    const calls = said?.message.tool_calls?.map((call) => call.type === 'function' && call.function.arguments);
    expect(calls).toEqual(['{"path":"a/ü.ts","lines":[1,2]}', '{}']);
    expect(streamed.usage).toEqual(whole.usage);
  });

  it('of openai understands Responses', async () => {
    await using server = await serverFor({ provider: 'openai' }, { script });
    const { responses } = new OpenAI({ ...client, baseURL: server.url });
    const body = {
      model: 'm',
      input: 'Read.',
      tools: [{ type: 'function' as const, name: 'read_file', parameters, strict: false }],
    };
    const whole = await responses.create(body);
    const streamed = await responses.stream(body).finalResponse();
    expect(streamed.output.map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call', 'function_call']);
    expect(streamed.output_text).toBe(whole.output_text);
    expect(streamed.status).toBe('completed');
    expect(streamed.usage).toEqual(whole.usage);
  });
});

describe('redacted thinking', () => {
  it('comes back as it went', async () => {
    const sealed = answer([
      { type: 'redacted-thinking', data: 'c2VhbGVk' },
      { type: 'text', text: 'I begin.' },
    ]);
    await using server = await serverFor(messages, { script: () => sealed });
    const port = messages.port(server);
    const said: Message[] = [{ role: 'user', content: 'Begin.' }];
    const { message } = await ask(port, { messages: said });
    await ask(port, { messages: [...said, message, { role: 'user', content: 'Go on.' }] });
    expect(server.requests[1]?.violations).toEqual([]);
    expect(JSON.stringify(server.requests[1]?.body)).toContain('{"type":"redacted_thinking","data":"c2VhbGVk"}');
  });
});

/** Ids are made of the request, and a streamed request is another one. */
function withoutId(block: object): object {
  return { ...block, id: '' };
}
