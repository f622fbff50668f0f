import type { ModelPort } from '@varve/core';
import { checkPortOptions } from '../border.ts';
import { callModel, safeListener } from '../model-failure.ts';
import { fromOpenAIResponses } from './from-responses.ts';
import { readOpenAIResponsesStream, wholeReply } from './read-responses-stream.ts';
import type { OpenAIResponsesEvent, OpenAIResponsesReply } from './responses-reply.ts';
import type { OpenAIResponsesRequest } from './responses-request.ts';
import { type ToOpenAIResponsesOptions, toOpenAIResponses } from './to-responses.ts';

/** What a port needs of a client. The client of `openai` has it. */
export interface OpenAIResponsesClient {
  readonly responses: {
    create(
      body: OpenAIResponsesRequest & { readonly stream: true },
      options?: { readonly signal?: AbortSignal },
    ): PromiseLike<AsyncIterable<OpenAIResponsesEvent>>;
    create(
      body: OpenAIResponsesRequest & { readonly stream?: false },
      options?: { readonly signal?: AbortSignal },
    ): PromiseLike<OpenAIResponsesReply>;
  };
}

/** Options of {@link openaiResponsesModel}. Tools come with each request. */
export interface OpenAIResponsesModelOptions extends Omit<ToOpenAIResponsesOptions, 'tools'> {
  /** Under which name windows and prices of the model are kept. @default 'openai' */
  readonly provider?: string;
  /** Fields beside what a prompt decides, such as `reasoning`. @default none */
  readonly body?: { readonly [field: string]: unknown };
}

/**
 * A model port around a client of OpenAI's Responses API. It streams when somebody listens, and answers with whole
 * messages alone.
 *
 * @throws VARVE_OPTION_INVALID  for options without a model.
 */
export function openaiResponsesModel(client: OpenAIResponsesClient, options: OpenAIResponsesModelOptions): ModelPort {
  checkPortOptions(options);
  const { provider = 'openai', body: beside = {}, ...wishes } = options;
  const ref = { provider, model: options.model };
  return {
    ref,
    generate: ({ prompt, tools = [], maxOutputTokens }, { signal, onDelta } = {}) =>
      callModel(
        async () => {
          const limit = maxOutputTokens === undefined ? {} : { maxTokens: maxOutputTokens };
          const body = { ...beside, ...toOpenAIResponses(prompt, { ...wishes, tools, ...limit }) };
          const call = signal === undefined ? {} : { signal };
          if (onDelta === undefined)
            return fromOpenAIResponses(wholeReply(await client.responses.create(body, call)), { tools });
          const events = await client.responses.create({ ...body, stream: true }, call);
          return fromOpenAIResponses(await readOpenAIResponsesStream(events, safeListener(onDelta)), { tools });
        },
        { ref, signal },
      ),
  };
}
