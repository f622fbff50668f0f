import type { ModelPort } from '@varve/core';
import { checkPortOptions } from '../border.ts';
import { callModel, safeListener } from '../model-failure.ts';
import { fromGemini } from './from-gemini.ts';
import { readGeminiStream } from './read-stream.ts';
import type { GeminiReply } from './reply.ts';
import type { GeminiRequest } from './request.ts';
import { type ToGeminiOptions, toGemini } from './to-gemini.ts';

/** One call, as `@google/genai` takes it: what stands beside the turns is its `config`. */
export interface GeminiCall extends Pick<GeminiRequest, 'model' | 'contents'> {
  config: Omit<GeminiRequest, 'model' | 'contents' | 'generationConfig'> & {
    maxOutputTokens?: number;
    abortSignal?: AbortSignal;
    [field: string]: unknown;
  };
}

/** What a port needs of a client. The client of `@google/genai` has it. */
export interface GeminiClient {
  readonly models: {
    generateContent(call: GeminiCall): PromiseLike<GeminiReply>;
    generateContentStream(call: GeminiCall): PromiseLike<AsyncIterable<GeminiReply>>;
  };
}

/** Options of {@link geminiModel}. Tools come with each request. */
export interface GeminiModelOptions extends Omit<ToGeminiOptions, 'tools'> {
  /** Under which name windows and prices of the model are kept. @default 'google' */
  readonly provider?: string;
  /** Fields of `config` beside what a prompt decides, such as `thinkingConfig`. @default none */
  readonly config?: { readonly [field: string]: unknown };
}

/**
 * A model port around a client of the Gemini API. It streams when somebody listens, and answers with whole messages alone.
 *
 * @throws VARVE_OPTION_INVALID  for options without a model.
 */
export function geminiModel(client: GeminiClient, options: GeminiModelOptions): ModelPort {
  checkPortOptions(options);
  const { provider = 'google', config: beside = {}, ...wishes } = options;
  const ref = { provider, model: options.model };
  return {
    ref,
    generate: ({ prompt, tools = [], maxOutputTokens }, { signal, onDelta } = {}) =>
      callModel(
        async () => {
          const limit = maxOutputTokens === undefined ? {} : { maxTokens: maxOutputTokens };
          const { model, contents, generationConfig, ...rest } = toGemini(prompt, { ...wishes, tools, ...limit });
          const config = {
            ...beside,
            ...rest,
            ...generationConfig,
            ...(signal === undefined ? {} : { abortSignal: signal }),
          };
          const call = { model, contents, config };
          if (onDelta === undefined) return fromGemini(await client.models.generateContent(call), { tools });
          const chunks = await client.models.generateContentStream(call);
          return fromGemini(await readGeminiStream(chunks, safeListener(onDelta)), { tools });
        },
        { ref, signal },
      ),
  };
}
