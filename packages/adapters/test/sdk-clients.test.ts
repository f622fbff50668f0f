import Anthropic from '@anthropic-ai/sdk';
import { anthropicModel } from '@varve/adapters/anthropic';
import { openaiChatModel, openaiResponsesModel } from '@varve/adapters/openai';
import type { ModelPort } from '@varve/core';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { helloPrompt } from './fake-client.ts';

type Answer = () => Response;

/** Server-sent events as a response; each event has a name when it has a type. */
function events(...all: readonly object[]): Answer {
  const text = all
    .map((event) => `${'type' in event ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`)
    .join('');
  return () => new Response(text, { headers: { 'content-type': 'text/event-stream' } });
}

function failure(status: number, body: object): Answer {
  return () => new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
}

const usage = { input_tokens: 3, output_tokens: 1 };
const begun = [
  { type: 'message_start', message: { id: 'msg_1', type: 'message', role: 'assistant', content: [], usage } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hi' } },
];
const response = {
  id: 'resp_1',
  status: 'completed',
  output: [
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'hi', annotations: [] }],
    },
  ],
  usage,
};

/** A port around the real client, whose network is a function; how it answers, breaks off and refuses. */
interface Subject {
  readonly name: string;
  readonly whole: Answer;
  readonly cut: Answer;
  readonly tooLong: Answer;
  port(fetch: () => Promise<Response>): ModelPort;
}

const tooLong = {
  message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
  code: 'context_length_exceeded',
};
const client = { apiKey: 'none', maxRetries: 0 };

const subjects: readonly Subject[] = [
  {
    name: '@anthropic-ai/sdk',
    whole: events(
      ...begun,
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    ),
    cut: events(...begun),
    tooLong: failure(400, {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 9000 tokens > 8192 maximum' },
    }),
    port: (fetch) => anthropicModel(new Anthropic({ ...client, fetch }), { model: 'm' }),
  },
  {
    name: 'openai, Chat Completions',
    whole: events(
      { choices: [{ index: 0, delta: { role: 'assistant', content: 'hi' }, finish_reason: null }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { choices: [], usage: { prompt_tokens: 3, completion_tokens: 1 } },
    ),
    cut: events({ choices: [{ index: 0, delta: { role: 'assistant', content: 'hi' }, finish_reason: null }] }),
    tooLong: failure(400, { error: tooLong }),
    port: (fetch) => openaiChatModel(new OpenAI({ ...client, fetch }), { model: 'm' }),
  },
  {
    name: 'openai, Responses',
    whole: events(
      { type: 'response.output_text.delta', delta: 'hi', output_index: 0, content_index: 0 },
      { type: 'response.completed', response },
    ),
    cut: events({ type: 'response.output_text.delta', delta: 'hi', output_index: 0, content_index: 0 }),
    tooLong: failure(400, { error: tooLong }),
    port: (fetch) => openaiResponsesModel(new OpenAI({ ...client, fetch }), { model: 'm' }),
  },
];

function generate({ port }: Subject, answer: Answer) {
  return port(() => Promise.resolve(answer())).generate({ prompt: helloPrompt }, { onDelta: () => undefined });
}

describe.each(subjects)('a port around the client of $name', (subject) => {
  it('answers with what is streamed', async () => {
    const { message, usage: reported } = await generate(subject, subject.whole);
    expect(message).toMatchObject({ content: [{ type: 'text', text: 'hi' }], stop: 'stop' });
    expect(reported).toEqual({ inputTokens: 3, outputTokens: 1 });
  });

  it('throws when the stream breaks off', async () => {
    await expect(generate(subject, subject.cut)).rejects.toMatchObject({
      code: 'VARVE_MODEL_FAILED',
      details: { kind: 'network', retryable: true },
    });
  });

  it('throws what the client throws as an overflow, with its numbers', async () => {
    await expect(generate(subject, subject.tooLong)).rejects.toMatchObject({
      code: 'VARVE_MODEL_OVERFLOW',
      details: { status: 400, given: 9000, limit: 8192 },
    });
  });

  it.each([
    [401, 'auth', false],
    [429, 'rate', true],
    [503, 'server', true],
  ])('throws a failure of the status %d as the kind %s', async (status, kind, retryable) => {
    const error = { message: 'Something is wrong.' };
    await expect(generate(subject, failure(status, { error }))).rejects.toMatchObject({
      code: 'VARVE_MODEL_FAILED',
      details: { kind, status, retryable },
    });
  });

  it('throws a failure of the network as one', async () => {
    const port = subject.port(() => Promise.reject(new TypeError('fetch failed')));
    await expect(port.generate({ prompt: helloPrompt })).rejects.toMatchObject({
      code: 'VARVE_MODEL_FAILED',
      details: { kind: 'network', retryable: true },
    });
  });

  it('says that it was aborted while the answer came', async () => {
    const controller = new AbortController();
    const onDelta = () => controller.abort();
    const port = subject.port(() => Promise.resolve(subject.whole()));
    await expect(port.generate({ prompt: helloPrompt }, { onDelta, signal: controller.signal })).rejects.toMatchObject({
      code: 'VARVE_ABORTED',
    });
  });
});
