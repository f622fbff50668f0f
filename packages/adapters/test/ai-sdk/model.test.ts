import type { LanguageModelV3StreamPart } from '@ai-sdk/provider';
import { aiSdkModel } from '@varve/adapters/ai-sdk';
import type { ModelDelta } from '@varve/core';
import { describe, expect, it } from 'vitest';
import { helloPrompt, readTool } from '../fake-client.ts';
import { fakeLanguageModel, saying, usageOf } from './fake-language-model.ts';

const request = { prompt: helloPrompt, tools: [readTool], maxOutputTokens: 20 };

describe('a port around a language model of the AI SDK', () => {
  it('is named by its provider, up to a dot, and its id', () => {
    const { model } = fakeLanguageModel();
    expect(aiSdkModel(model).ref).toEqual({ provider: 'fake', model: 'fake-1' });
    expect(aiSdkModel(model, { provider: 'openai' }).ref.provider).toBe('openai');
  });

  it('sends prompt, tools and bound, and answers with message and usage', async () => {
    const { model, calls } = fakeLanguageModel();
    const { message, usage } = await aiSdkModel(model).generate(request);
    expect(message).toMatchObject({ content: [{ type: 'text', text: 'hi' }], stop: 'stop' });
    expect(usage).toMatchObject({ inputTokens: 3, outputTokens: 1 });
    expect(calls[0]).toMatchObject({ maxOutputTokens: 20, tools: [{ type: 'function', name: 'fs.read' }] });
    expect(calls[0]?.prompt.map(({ role }) => role)).toEqual(['system', 'user']);
  });

  it('streams when somebody listens, with reasoning and calls', async () => {
    const parts: LanguageModelV3StreamPart[] = [
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
      { type: 'reasoning-end', id: 'r', providerMetadata: { anthropic: { signature: 's' } } },
      { type: 'tool-input-start', id: 'c1', toolName: 'read' },
      { type: 'tool-input-delta', id: 'c1', delta: '{}' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'read', input: '{}' },
      { type: 'finish', finishReason: { unified: 'tool-calls', raw: undefined }, usage: usageOf(5) },
    ];
    const { model } = fakeLanguageModel({ parts: () => parts });
    const deltas: ModelDelta[] = [];
    const { message } = await aiSdkModel(model).generate(request, { onDelta: (delta) => deltas.push(delta) });
    expect(message.content).toEqual([
      { type: 'reasoning', text: 'Hm.', providerOptions: { anthropic: { signature: 's' } } },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'read', input: {} },
    ]);
    expect(deltas).toEqual([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'read' },
    ]);
  });

  it('throws what a model fails with by the codes of ports', async () => {
    const failing = (error: Error) => aiSdkModel(fakeLanguageModel({ reply: () => error }).model).generate(request);
    await expect(failing(new Error('prompt is too long: 9000 tokens > 8192 maximum'))).rejects.toMatchObject({
      code: 'VARVE_MODEL_OVERFLOW',
      details: { given: 9000, limit: 8192 },
    });
    await expect(failing(Object.assign(new Error('slow down'), { statusCode: 429 }))).rejects.toMatchObject({
      code: 'VARVE_MODEL_FAILED',
      details: { kind: 'rate', retryable: true },
    });
  });

  it.each([
    ['is cut', saying('hello').slice(0, -1), 'network'],
    ['reports an error', [{ type: 'error' as const, error: { statusCode: 503, message: 'overloaded' } }], 'server'],
  ])('throws when a stream %s', async (_what, parts, kind) => {
    const { model } = fakeLanguageModel({ parts: () => parts });
    const streamed = aiSdkModel(model).generate(request, { onDelta: () => undefined });
    await expect(streamed).rejects.toMatchObject({ code: 'VARVE_MODEL_FAILED', details: { kind } });
  });

  it('says that it was aborted', async () => {
    const controller = new AbortController();
    const { model } = fakeLanguageModel({
      reply: () => {
        controller.abort();
        return {};
      },
    });
    const call = aiSdkModel(model).generate(request, { signal: controller.signal });
    await expect(call).rejects.toMatchObject({ code: 'VARVE_ABORTED' });
  });
});
