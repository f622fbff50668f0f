import type { ModelRef, Session } from '@varve/core';
import { jsonOf } from '../json-of.ts';
import { askWithList } from '../message-list/ask-with-list.ts';
import { checkSession } from '../message-list/check-session.ts';
import { addToList, type FollowListOptions } from '../message-list/follow-message-list.ts';
import type { ListedMessage } from '../message-list/listed-message.ts';
import { isOverflow } from '../provider-errors/classify-model-error.ts';
import { fromAiSdkReply } from './from-ai-sdk-reply.ts';
import { checkLanguageModel, isPassed, type NamedLanguageModel, refOfLanguageModel } from './language-model.ts';
import { listOf } from './list-of.ts';
import type { AiSdkMessage } from './messages.ts';
import type { AiSdkReply, AiSdkStreamPart } from './reply.ts';
import { startedStream } from './started-stream.ts';
import { type ToAiSdkOptions, toAiSdk } from './to-ai-sdk.ts';

/** Options of {@link varveMiddleware}. */
export interface VarveMiddlewareOptions extends Pick<FollowListOptions, 'onShorter'> {
  /** The session of the conversation, or a function that finds the one of a call. */
  readonly session: Session | ((params: AiSdkParams) => Session | Promise<Session>);
  /** Whose window counts. @default the wrapped model, by its provider up to a dot and its id */
  readonly model?: ModelRef | undefined;
  /** Marks for Anthropic's cache. @default '5m' for a provider whose name begins with `anthropic`, else 'none' */
  readonly cache?: ToAiSdkOptions['cache'];
}

/** What a language model is called with. */
export interface AiSdkParams {
  readonly prompt: readonly AiSdkMessage[];
  readonly tools?: readonly object[] | undefined;
  readonly responseFormat?: object | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  readonly providerOptions?: object | undefined;
}

/** A call that goes through the middleware. */
export interface AiSdkWrappedCall<Params, Model> {
  readonly params: Params;
  readonly model: NamedLanguageModel & Model;
}

/** A middleware for `wrapLanguageModel` of `ai` 6: `LanguageModelV3Middleware`. */
export interface AiSdkMiddleware {
  readonly specificationVersion: 'v3';
  readonly overrideProvider: (options: { model: NamedLanguageModel }) => string;
  readonly wrapGenerate: <Params extends AiSdkParams, Reply extends AiSdkReply>(
    call: AiSdkWrappedCall<Params, { doGenerate(params: Params): PromiseLike<Reply> }>,
  ) => Promise<Reply>;
  readonly wrapStream: <Params extends AiSdkParams, Part extends AiSdkStreamPart, Reply extends AiSdkStreamReply<Part>>(
    call: AiSdkWrappedCall<Params, { doStream(params: Params): PromiseLike<Reply & AiSdkStreamReply<Part>> }>,
  ) => Promise<Reply>;
}

/** A streamed answer. */
export interface AiSdkStreamReply<Part extends AiSdkStreamPart> {
  stream: ReadableStream<Part>;
}

/**
 * Lets a session decide what a model of the AI SDK is sent. For `wrapLanguageModel`: each call of the wrapped model,
 * with however many messages the host keeps, follows its list into the journal, sends what the session assembles in its
 * place, and stores the answer. A prompt that proves too long for the model is compacted and sent again, before the
 * first piece of a streamed answer has gone out. Tools, settings and the system messages of the host stay as they are.
 *
 * An answer that breaks off, or is aborted, is not stored; the next list says what the host made of it. A call with
 * `providerOptions: { varve: { pass: true } }` goes through untouched: for what is no part of the conversation, such as
 * a title for it.
 *
 * @throws VARVE_OPTION_INVALID  without a session; when a model of another version than v3 is wrapped. A call throws
 *   what `followMessageList` throws, VARVE_BUDGET_IMPOSSIBLE, and what the model throws, as it is.
 */
export function varveMiddleware(options: VarveMiddlewareOptions): AiSdkMiddleware {
  checkSession(options?.session);
  return {
    specificationVersion: 'v3',
    // Asked when a model is wrapped, which is when its version can be refused.
    overrideProvider: ({ model }) => {
      checkLanguageModel(model);
      return model.provider;
    },
    wrapGenerate: async ({ params, model }) => {
      if (isPassed(params.providerOptions)) return model.doGenerate(params);
      const call = await callOf(options, { params, model });
      const reply = await askThrough(call, (sent) => model.doGenerate(sent));
      await addToList(call.session, answerOf(reply));
      return reply;
    },
    wrapStream: async ({ params, model }) => {
      if (isPassed(params.providerOptions)) return model.doStream(params);
      const call = await callOf(options, { params, model });
      return askThrough(call, async (sent) => {
        const reply = await model.doStream(sent);
        const stream = await startedStream(reply.stream, {
          isRefused: isOverflow,
          onWhole: async (whole) => {
            await addToList(call.session, answerOf(whole));
          },
        });
        return { ...reply, stream };
      });
    },
  };
}

interface Call<Params extends AiSdkParams> {
  readonly params: Params;
  readonly session: Session;
  readonly ref: ModelRef;
  readonly cache: ToAiSdkOptions['cache'];
  readonly onShorter: FollowListOptions['onShorter'];
}

async function callOf<Params extends AiSdkParams>(
  { session, model: ref, cache, onShorter }: VarveMiddlewareOptions,
  { params, model }: { readonly params: Params; readonly model: NamedLanguageModel },
): Promise<Call<Params>> {
  const found = typeof session === 'function' ? await session(params) : session;
  checkSession(found);
  const marks = cache ?? (model.provider.startsWith('anthropic') ? '5m' : 'none');
  return { params, session: found, ref: ref ?? refOfLanguageModel(model), cache: marks, onShorter };
}

async function askThrough<Params extends AiSdkParams, Reply>(
  { params, session, ref, cache, onShorter }: Call<Params>,
  ask: (params: Params) => PromiseLike<Reply>,
): Promise<Reply> {
  const { prompt: given, tools, responseFormat, abortSignal } = params;
  const list = listOf(given);
  const front = given.findIndex(({ role }) => role !== 'system');
  const instructions = given.slice(0, front === -1 ? given.length : front);
  return askWithList(session, list, {
    model: ref,
    tools: [...(tools ?? []), ...(responseFormat === undefined ? [] : [responseFormat])].map((one) =>
      jsonOf(one, 'tools'),
    ),
    onShorter,
    signal: abortSignal,
    // The host's own system messages go out as they came, with their options.
    ask: async ({ prompt }) => ask({ ...params, prompt: [...instructions, ...toAiSdk(prompt, { cache })] }),
  });
}

function answerOf(reply: AiSdkReply): ListedMessage {
  const { message, usage } = fromAiSdkReply(reply);
  return usage === null ? { message } : { message, usage };
}
