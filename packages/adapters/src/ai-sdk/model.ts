import type { ModelCallOptions, ModelPort, ModelReply, ModelRequest } from '@varve/core';
import { callModel, cutStream, safeListener } from '../model-failure.ts';
import { fromAiSdkReply } from './from-ai-sdk-reply.ts';
import {
  type AiSdkCall,
  type AiSdkLanguageModel,
  type AiSdkTool,
  checkLanguageModel,
  passOption,
  refOfLanguageModel,
} from './language-model.ts';
import type { AiSdkStreamPart } from './reply.ts';
import { streamReader } from './stream-reader.ts';
import { type ToAiSdkOptions, toAiSdk } from './to-ai-sdk.ts';

/** Options of {@link aiSdkModel}. Tools come with each request. */
export interface AiSdkModelOptions extends ToAiSdkOptions {
  /** Under which name windows and prices of the model are kept. @default what the model says, up to a dot */
  readonly provider?: string | undefined;
}

/**
 * A model port around a language model of the AI SDK, of whatever provider: for turns, summaries and what else a session
 * asks a model. It streams when somebody listens. A model that our own middleware is around is asked past it.
 *
 * @throws VARVE_OPTION_INVALID  for a language model of another version than v3.
 */
export function aiSdkModel(model: AiSdkLanguageModel, options: AiSdkModelOptions = {}): ModelPort {
  checkLanguageModel(model);
  const known = refOfLanguageModel(model);
  const ref = { ...known, provider: options.provider ?? known.provider };
  return {
    ref,
    generate: (request, call = {}) =>
      callModel(() => generate(model, { request, call, options }), { ref, signal: call.signal }),
  };
}

interface Generation {
  readonly request: ModelRequest;
  readonly call: ModelCallOptions;
  readonly options: ToAiSdkOptions;
}

async function generate(model: AiSdkLanguageModel, { request, call, options }: Generation): Promise<ModelReply> {
  const { prompt, tools = [], maxOutputTokens } = request;
  const { signal, onDelta } = call;
  const params: AiSdkCall = {
    prompt: toAiSdk(prompt, options),
    providerOptions: passOption,
    ...(tools.length === 0 ? {} : { tools: tools.map((tool): AiSdkTool => ({ type: 'function', ...tool })) }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(signal === undefined ? {} : { abortSignal: signal }),
  };
  if (onDelta === undefined) return fromAiSdkReply(await model.doGenerate(params));
  const { stream } = await model.doStream(params);
  return readStream(stream, safeListener(onDelta));
}

async function readStream(
  stream: ReadableStream<AiSdkStreamPart>,
  onDelta: NonNullable<ModelCallOptions['onDelta']>,
): Promise<ModelReply> {
  const answer = streamReader();
  for await (const part of stream) {
    if (part.type === 'error') throw (part as { readonly error?: unknown }).error;
    const delta = answer.take(part);
    if (delta !== null) onDelta(delta);
  }
  const reply = answer.reply();
  if (reply === null) throw cutStream();
  return fromAiSdkReply(reply);
}
