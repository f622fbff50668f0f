import { anthropicModel } from '@varve/adapters/anthropic';
import { openaiChatModel, openaiResponsesModel } from '@varve/adapters/openai';
import {
  checkAnthropicRequest,
  checkOpenAIChatRequest,
  checkOpenAIResponsesRequest,
} from '@varve/adapters/provider-rules';
import type { ModelCallOptions, ModelDelta, ModelPort } from '@varve/core';
import { describe, expect, it } from 'vitest';
import { type Asked, fakeCreate, helloPrompt, readTool, streamOf } from './fake-client.ts';

/** A port around a fake client; the answer is `hi`, whole or streamed, unless another is given. */
interface Subject {
  readonly name: string;
  readonly check: (body: unknown) => readonly unknown[];
  readonly whole: unknown;
  readonly events: readonly unknown[];
  port(create: never): ModelPort;
}

const chatUsage = { prompt_tokens: 3, completion_tokens: 1 };
const responsesAnswer = {
  status: 'completed',
  output: [{ type: 'message', id: 'msg_1', content: [{ type: 'output_text', text: 'hi', annotations: [] }] }],
  usage: { input_tokens: 3, output_tokens: 1 },
};
const anthropicEvents = [
  { type: 'message_start', message: { usage: { input_tokens: 3, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hi' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
  { type: 'message_stop' },
];

const subjects: readonly Subject[] = [
  {
    name: 'anthropicModel',
    check: checkAnthropicRequest,
    whole: undefined,
    events: anthropicEvents,
    port: (create) => anthropicModel({ messages: { create } }, { model: 'm', body: { temperature: 1, model: 'x' } }),
  },
  {
    name: 'openaiChatModel',
    check: checkOpenAIChatRequest,
    whole: { choices: [{ finish_reason: 'stop', message: { content: 'hi' } }], usage: chatUsage },
    events: [
      { choices: [{ delta: { content: 'hi' } }] },
      { choices: [{ delta: {}, finish_reason: 'stop' }] },
      { choices: [], usage: chatUsage },
    ],
    port: (create) =>
      openaiChatModel({ chat: { completions: { create } } }, { model: 'm', body: { temperature: 1, model: 'x' } }),
  },
  {
    name: 'openaiResponsesModel',
    check: checkOpenAIResponsesRequest,
    whole: responsesAnswer,
    events: [
      { type: 'response.output_text.delta', delta: 'hi' },
      { type: 'response.completed', response: responsesAnswer },
    ],
    port: (create) =>
      openaiResponsesModel({ responses: { create } }, { model: 'm', body: { temperature: 1, model: 'x' } }),
  },
];

const request = { prompt: helloPrompt, tools: [readTool], maxOutputTokens: 20 };

/** One call of a port whose client answers so. */
async function call(subject: Subject, answer: (asked: Asked) => unknown, options: ModelCallOptions = {}) {
  const { create, asked } = fakeCreate(() => answer(asked.at(-1) as Asked));
  const reply = await subject.port(create as never).generate(request, options);
  return { reply, asked };
}

/** Whole or streamed, as the body asks. */
function answerOf({ whole, events }: Subject): (asked: Asked) => unknown {
  return ({ body: { stream } }) => (stream === true ? streamOf(events) : whole);
}

describe.each(subjects)('$name', (subject) => {
  it('sends a valid body with what stands beside the prompt, and answers with message and usage', async () => {
    const { reply, asked } = await call(subject, answerOf(subject));
    expect(reply.message).toMatchObject({ role: 'assistant', content: [{ type: 'text', text: 'hi' }], stop: 'stop' });
    expect(reply.usage).toEqual({ inputTokens: 3, outputTokens: 1 });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.body).toMatchObject({ model: 'm', temperature: 1, tools: [expect.anything()] });
    expect(JSON.stringify(asked[0]?.body)).toContain('20');
    expect(subject.check(asked[0]?.body)).toEqual([]);
  });

  it('streams when somebody listens, to the same answer', async () => {
    const deltas: ModelDelta[] = [];
    const whole = await call(subject, answerOf(subject));
    const { reply, asked } = await call(subject, answerOf(subject), { onDelta: (delta) => deltas.push(delta) });
    expect(asked[0]?.body).toMatchObject({ stream: true });
    expect(deltas).toEqual([{ type: 'text', text: 'hi' }]);
    expect(reply).toEqual(whole.reply);
  });

  it('answers although its listener throws', async () => {
    const onDelta = () => {
      throw new Error('the screen is gone');
    };
    const { reply } = await call(subject, answerOf(subject), { onDelta });
    expect(reply.message.stop).toBe('stop');
  });

  it('answers although its listener fails later', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', note);
    try {
      const onDelta = async () => Promise.reject(new Error('the screen is gone'));
      const { reply } = await call(subject, answerOf(subject), { onDelta });
      expect(reply.message.stop).toBe('stop');
      // Unhandled rejections are told when the microtasks are done.
      await new Promise(setImmediate);
      expect(unhandled).toEqual([]);
    } finally {
      process.off('unhandledRejection', note);
    }
  });

  it('says that the prompt is too long, with the numbers', async () => {
    const error = Object.assign(new Error('400 prompt is too long: 215000 tokens > 200000 maximum'), { status: 400 });
    await expect(call(subject, () => Promise.reject(error))).rejects.toMatchObject({
      code: 'VARVE_MODEL_OVERFLOW',
      details: { given: 215_000, limit: 200_000 },
      cause: error,
    });
  });

  it.each([
    [{ status: 429 }, 'Rate limit reached', 'rate', true],
    [{ status: 401 }, 'Invalid API key', 'auth', false],
    [{ status: 529 }, 'Overloaded', 'server', true],
    [{ code: 'ECONNRESET' }, 'socket hang up', 'network', true],
  ])('fails with %j: %s is of the kind %s', async (fields, text, kind, retryable) => {
    const error = Object.assign(new Error(text), fields);
    await expect(call(subject, () => Promise.reject(error))).rejects.toMatchObject({
      code: 'VARVE_MODEL_FAILED',
      details: { kind, retryable, model: 'm' },
      cause: error,
    });
  });

  it('fails when the stream breaks or ends early: half a message is none', async () => {
    const onDelta = () => undefined;
    const failed = { code: 'VARVE_MODEL_FAILED', details: { kind: 'network', retryable: true } };
    const early = () => streamOf(subject.events.slice(0, 1));
    const broken = () =>
      streamOf(subject.events.slice(0, 1), Object.assign(new Error('terminated'), { code: 'UND_ERR_SOCKET' }));
    await expect(call(subject, early, { onDelta })).rejects.toMatchObject(failed);
    await expect(call(subject, broken, { onDelta })).rejects.toMatchObject(failed);
  });

  it('hands the signal on, and says that it was aborted whatever the client makes of it', async () => {
    const before = AbortSignal.abort(new Error('enough'));
    const { create, asked } = fakeCreate(() => streamOf(subject.events));
    const generate = subject.port(create as never).generate(request, { signal: before });
    await expect(generate).rejects.toMatchObject({ code: 'VARVE_ABORTED' });
    expect(asked).toEqual([]);

    const controller = new AbortController();
    const aborting = call(
      subject,
      ({ signal }) => {
        controller.abort();
        expect(signal?.aborted).toBe(true);
        return streamOf([]);
      },
      { signal: controller.signal, onDelta: () => undefined },
    );
    await expect(aborting).rejects.toMatchObject({ code: 'VARVE_ABORTED' });
  });
});

describe('openaiChatModel', () => {
  const [, subject] = subjects as readonly [Subject, Subject];

  it.each([
    [{ error: { message: 'Upstream is gone', code: 502 } }, /Upstream is gone/],
    [{ choices: [] }, /no choice/],
  ])('fails on an answer without a choice: %j', async (answer, text) => {
    await expect(call(subject, () => answer)).rejects.toThrow(text);
  });

  it('leaves the question for usage out for servers that refuse it', async () => {
    const { create, asked } = fakeCreate(() => streamOf(subject.events));
    const port = openaiChatModel({ chat: { completions: { create } } } as never, { model: 'm', streamUsage: false });
    await port.generate(request, { onDelta: () => undefined });
    expect(asked[0]?.body).not.toHaveProperty('stream_options');
  });
});

describe('openaiResponsesModel', () => {
  it('fails on an answer that says that it failed', async () => {
    const [, , subject] = subjects as readonly [Subject, Subject, Subject];
    const error = { code: 'context_length_exceeded', message: 'Your input exceeds the context window of this model.' };
    const failed = () => ({ status: 'failed', output: [], error });
    await expect(call(subject, failed)).rejects.toMatchObject({ code: 'VARVE_MODEL_OVERFLOW' });
  });
});
