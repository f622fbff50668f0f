import type { LanguageModelV3, LanguageModelV3Middleware, LanguageModelV3Prompt } from '@ai-sdk/provider';
import {
  type AiSdkLanguageModel,
  type AiSdkMiddleware,
  type AiSdkPrompt,
  type fromAiSdk,
  type fromAiSdkReply,
  varvePrepareStep,
} from '@varve/adapters/ai-sdk';
import type { ModelMessage, PrepareStepFunction, wrapLanguageModel } from 'ai';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { openTalk } from '../message-list/talk.ts';

describe('the types of the AI SDK', () => {
  it('take our prompts, and are what we read', () => {
    expectTypeOf<AiSdkPrompt>().toExtend<LanguageModelV3Prompt>();
    expectTypeOf<AiSdkPrompt>().toExtend<ModelMessage[]>();
    expectTypeOf<LanguageModelV3Prompt>().toExtend<Parameters<typeof fromAiSdk>[0]>();
    expectTypeOf<ModelMessage[]>().toExtend<Parameters<typeof fromAiSdk>[0]>();
  });

  it('make a port of a language model, and a language model of a middleware', () => {
    expectTypeOf<LanguageModelV3>().toExtend<AiSdkLanguageModel>();
    expectTypeOf<Awaited<ReturnType<LanguageModelV3['doGenerate']>>>().toExtend<Parameters<typeof fromAiSdkReply>[0]>();
    expectTypeOf<AiSdkMiddleware>().toExtend<LanguageModelV3Middleware>();
    expectTypeOf<AiSdkMiddleware>().toExtend<Parameters<typeof wrapLanguageModel>[0]['middleware']>();
  });

  it('take a function that prepares steps', async () => {
    await using talk = await openTalk();
    const prepareStep: PrepareStepFunction = varvePrepareStep({ session: talk.session });
    expect(prepareStep).toBeTypeOf('function');
  });
});
