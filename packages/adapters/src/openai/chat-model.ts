import type { ModelPort } from '@varve/core';
import { checkPortOptions } from '../border.ts';
import { callModel, safeListener, streamError } from '../model-failure.ts';
import type { OpenAIChatChunk, OpenAIChatReply } from './chat-reply.ts';
import type { OpenAIChatRequest } from './chat-request.ts';
import { fromOpenAIChat } from './from-chat.ts';
import { readOpenAIChatStream } from './read-chat-stream.ts';
import { type ToOpenAIChatOptions, toOpenAIChat } from './to-chat.ts';

/** What a port needs of a client. The client of `openai` has it. */
export interface OpenAIChatClient {
  readonly chat: {
    readonly completions: {
      create(
        body: OpenAIChatRequest & { readonly stream: true; readonly stream_options?: { include_usage: boolean } },
        options?: { readonly signal?: AbortSignal },
      ): PromiseLike<AsyncIterable<OpenAIChatChunk>>;
      create(
        body: OpenAIChatRequest & { readonly stream?: false },
        options?: { readonly signal?: AbortSignal },
      ): PromiseLike<OpenAIChatReply>;
    };
  };
}

/** Options of {@link openaiChatModel}. Tools come with each request. */
export interface OpenAIChatModelOptions extends Omit<ToOpenAIChatOptions, 'tools'> {
  /** Under which name windows and prices of the model are kept. @default 'openai' */
  readonly provider?: string;
  /** Whether usage is asked for in streams; a few servers refuse the question. @default true */
  readonly streamUsage?: boolean;
  /** Fields beside what a prompt decides, such as `temperature`. @default none */
  readonly body?: { readonly [field: string]: unknown };
}

/**
 * A model port around a client of the Chat Completions API, OpenAI's or of a server that speaks it. It streams when
 * somebody listens, and answers with whole messages alone.
 *
 * @throws VARVE_OPTION_INVALID  for options without a model.
 */
export function openaiChatModel(client: OpenAIChatClient, options: OpenAIChatModelOptions): ModelPort {
  checkPortOptions(options);
  const { provider = 'openai', streamUsage = true, body: beside = {}, ...wishes } = options;
  const ref = { provider, model: options.model };
  return {
    ref,
    generate: ({ prompt, tools = [], maxOutputTokens }, { signal, onDelta } = {}) =>
      callModel(
        async () => {
          const limit = maxOutputTokens === undefined ? {} : { maxTokens: maxOutputTokens };
          const body = { ...beside, ...toOpenAIChat(prompt, { ...wishes, tools, ...limit }) };
          const call = signal === undefined ? {} : { signal };
          const { completions } = client.chat;
          if (onDelta === undefined) return fromOpenAIChat(answered(await completions.create(body, call)), { tools });
          const usage = streamUsage ? { stream_options: { include_usage: true } } : {};
          const chunks = await completions.create({ ...body, stream: true, ...usage }, call);
          return fromOpenAIChat(await readOpenAIChatStream(chunks, safeListener(onDelta)), { tools });
        },
        { ref, signal },
      ),
  };
}

/** Proxies hand out errors of the model behind them as answers without choices. */
function answered(reply: OpenAIChatReply & { readonly error?: unknown }): OpenAIChatReply {
  if (Array.isArray(reply.choices) && reply.choices.length > 0) return reply;
  throw streamError(reply.error ?? { message: 'The answer holds no choice.' });
}
