import { AIMessage, AIMessageChunk } from '@langchain/core/messages';
import { FakeListChatModel, FakeStreamingChatModel } from '@langchain/core/utils/testing';
import { type LangChainChatModel, type LangChainFields, langChainModel } from '@varve/adapters/langchain';
import type { ModelDelta } from '@varve/core';
import { describe, expect, it } from 'vitest';
import { helloPrompt, readTool, streamOf } from '../fake-client.ts';

const stop = { response_metadata: { finish_reason: 'stop' } };
const request = { prompt: helloPrompt, tools: [readTool] };

function fakeChatModel(reply: () => AIMessage, chunks: readonly AIMessageChunk[] = []) {
  const seen: { messages: LangChainFields[]; tools: object[] }[] = [];
  const answering = (tools: object[]) => ({
    invoke: async (messages: LangChainFields[]) => {
      seen.push({ messages, tools });
      return reply();
    },
    stream: async (messages: LangChainFields[]) => {
      seen.push({ messages, tools });
      return streamOf(chunks);
    },
  });
  const model: LangChainChatModel = {
    ...answering([]),
    bindTools: answering,
    getLsParams: () => ({ ls_provider: 'google-genai', ls_model_name: 'gemini-3-pro' }),
  } as LangChainChatModel;
  return { model, seen };
}

describe('a port around a chat model of LangChain', () => {
  it('sends prompt and tools, and answers with message and usage', async () => {
    const usage_metadata = { input_tokens: 3, output_tokens: 1, total_tokens: 4 };
    const { model, seen } = fakeChatModel(() =>
      Object.assign(new AIMessage({ content: 'hi', ...stop }), { usage_metadata }),
    );
    const port = langChainModel(model);
    expect(port.ref).toEqual({ provider: 'google', model: 'gemini-3-pro' });
    const { message, usage } = await port.generate(request);
    expect(message).toMatchObject({ stop: 'stop', content: [{ type: 'text', text: 'hi' }] });
    expect(usage).toMatchObject({ inputTokens: 3, outputTokens: 1 });
    expect(seen).toMatchObject([
      {
        messages: [{ type: 'system' }, { type: 'human', content: 'hello' }],
        tools: [{ function: { name: 'fs.read' } }],
      },
    ]);
  });

  it('streams when somebody listens', async () => {
    const chunks = [
      new AIMessageChunk({ content: 'h' }),
      new AIMessageChunk({ content: 'i', tool_call_chunks: [{ id: 'c1', name: 'read', args: '{}', index: 0 }] }),
      new AIMessageChunk({ content: '', ...stop }),
    ];
    const deltas: ModelDelta[] = [];
    const { model } = fakeChatModel(() => new AIMessage(''), chunks);
    const { message, usage } = await langChainModel(model).generate(request, {
      onDelta: (delta) => deltas.push(delta),
    });
    expect(message.content).toMatchObject([{ text: 'hi' }, { type: 'tool-call', toolCallId: 'c1', input: {} }]);
    expect(usage).toBeNull();
    expect(deltas).toEqual([
      { type: 'text', text: 'h' },
      { type: 'text', text: 'i' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'read' },
    ]);
  });

  it('works with the models that LangChain tests with', async () => {
    const list = new FakeListChatModel({ responses: ['one', 'two'] });
    const { message } = await langChainModel(list, { ref: { provider: 'p', model: 'm' } }).generate({
      prompt: helloPrompt,
    });
    expect(message.content).toMatchObject([{ text: 'one' }]);
    expect(langChainModel(new FakeStreamingChatModel({})).ref.model).toBe('unknown');
  });

  it('throws when a stream ends and nothing says that the answer has', async () => {
    const { model } = fakeChatModel(() => new AIMessage(''), [new AIMessageChunk({ content: 'half' })]);
    const streamed = langChainModel(model).generate(request, { onDelta: () => undefined });
    await expect(streamed).rejects.toMatchObject({ code: 'VARVE_MODEL_FAILED', details: { kind: 'network' } });
  });

  it('throws what a model fails with by the codes of ports', async () => {
    const { model } = fakeChatModel(() => {
      throw new Error('prompt is too long: 9000 tokens > 8192 maximum');
    });
    await expect(langChainModel(model).generate(request)).rejects.toMatchObject({ code: 'VARVE_MODEL_OVERFLOW' });
    const { model: odd } = fakeChatModel(() => ({ content: 'x' }) as never);
    await expect(langChainModel(odd).generate(request)).rejects.toMatchObject({ code: 'VARVE_MESSAGE_INVALID' });
  });

  it('refuses what is no chat model', () => {
    expect(() => langChainModel({} as never)).toThrow(expect.objectContaining({ code: 'VARVE_OPTION_INVALID' }));
  });
});
