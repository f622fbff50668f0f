import Anthropic from '@anthropic-ai/sdk';
import {
  type AnthropicRequest,
  type AnthropicStreamEvent,
  anthropicModel,
  type fromAnthropic,
} from '@varve/adapters/anthropic';
import {
  type fromOpenAIChat,
  type fromOpenAIResponses,
  type OpenAIChatChunk,
  type OpenAIChatRequest,
  type OpenAIResponsesEvent,
  type OpenAIResponsesRequest,
  openaiChatModel,
  openaiResponsesModel,
} from '@varve/adapters/openai';
import OpenAI from 'openai';
import { describe, expect, expectTypeOf, it } from 'vitest';

describe('the types of the SDK of Anthropic', () => {
  it('take our bodies', () => {
    expectTypeOf<AnthropicRequest>().toExtend<Anthropic.MessageCreateParamsNonStreaming>();
    expectTypeOf<AnthropicRequest & { stream: true }>().toExtend<Anthropic.MessageCreateParamsStreaming>();
  });

  it('are what we read, and a client makes a port', () => {
    expectTypeOf<Anthropic.Message>().toExtend<Parameters<typeof fromAnthropic>[0]>();
    expectTypeOf<Anthropic.RawMessageStreamEvent>().toExtend<AnthropicStreamEvent>();
    const client = new Anthropic({ apiKey: 'none' });
    expect(anthropicModel(client, { model: 'm' }).ref).toEqual({ provider: 'anthropic', model: 'm' });
  });
});

describe('the types of the SDK of OpenAI', () => {
  it('take our bodies', () => {
    expectTypeOf<OpenAIChatRequest>().toExtend<OpenAI.ChatCompletionCreateParamsNonStreaming>();
    expectTypeOf<OpenAIChatRequest & { stream: true }>().toExtend<OpenAI.ChatCompletionCreateParamsStreaming>();
    expectTypeOf<OpenAIResponsesRequest>().toExtend<OpenAI.Responses.ResponseCreateParamsNonStreaming>();
    expectTypeOf<
      OpenAIResponsesRequest & { stream: true }
    >().toExtend<OpenAI.Responses.ResponseCreateParamsStreaming>();
  });

  it('are what we read, and a client makes ports', () => {
    expectTypeOf<OpenAI.ChatCompletion>().toExtend<Parameters<typeof fromOpenAIChat>[0]>();
    expectTypeOf<OpenAI.ChatCompletionChunk>().toExtend<OpenAIChatChunk>();
    expectTypeOf<OpenAI.Responses.Response>().toExtend<Parameters<typeof fromOpenAIResponses>[0]>();
    expectTypeOf<OpenAI.Responses.ResponseStreamEvent>().toExtend<OpenAIResponsesEvent>();
    const client = new OpenAI({ apiKey: 'none' });
    expect(openaiChatModel(client, { model: 'm' }).ref).toEqual({ provider: 'openai', model: 'm' });
    expect(openaiResponsesModel(client, { model: 'm', provider: 'azure' }).ref.provider).toBe('azure');
  });
});
