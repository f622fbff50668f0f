import type { ModelPort } from '@varve/core';
import { checkPortOptions } from '../border.ts';
import { callModel, safeListener } from '../model-failure.ts';
import { fromAnthropic } from './from-anthropic.ts';
import { readAnthropicStream } from './read-stream.ts';
import type { AnthropicStreamEvent } from './reply.ts';
import type { AnthropicRequest } from './request.ts';
import { type ToAnthropicOptions, toAnthropic } from './to-anthropic.ts';

/** What a port needs of a client: the method that streams messages. The client of `@anthropic-ai/sdk` has it. */
export interface AnthropicClient {
  readonly messages: {
    create(
      body: AnthropicRequest & { readonly stream: true },
      options?: { readonly signal?: AbortSignal },
    ): PromiseLike<AsyncIterable<AnthropicStreamEvent>>;
  };
}

/** Options of {@link anthropicModel}. Tools come with each request. */
export interface AnthropicModelOptions extends Omit<ToAnthropicOptions, 'tools'> {
  /** Under which name windows and prices of the model are kept. @default 'anthropic' */
  readonly provider?: string;
  /** Fields beside what a prompt decides, such as `temperature`. @default none */
  readonly body?: { readonly [field: string]: unknown };
}

/**
 * A model port around a client of Anthropic's Messages API. It always streams, so that long answers do not run into
 * the client's time limit, and answers with whole messages alone.
 *
 * @throws VARVE_OPTION_INVALID  for options without a model.
 */
export function anthropicModel(client: AnthropicClient, options: AnthropicModelOptions): ModelPort {
  checkPortOptions(options);
  const { provider = 'anthropic', body: beside = {}, ...wishes } = options;
  const ref = { provider, model: options.model };
  return {
    ref,
    generate: ({ prompt, tools = [], maxOutputTokens }, { signal, onDelta } = {}) =>
      callModel(
        async () => {
          const limit = maxOutputTokens === undefined ? {} : { maxTokens: maxOutputTokens };
          const body = { ...beside, ...toAnthropic(prompt, { ...wishes, tools, ...limit }), stream: true as const };
          const events = await client.messages.create(body, signal === undefined ? {} : { signal });
          return fromAnthropic(await readAnthropicStream(events, safeListener(onDelta)), { tools });
        },
        { ref, signal },
      ),
  };
}
