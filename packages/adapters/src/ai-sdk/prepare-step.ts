import type { JsonValue, ModelRef, Session, Usage } from '@varve/core';
import { askWithList } from '../message-list/ask-with-list.ts';
import { checkSession } from '../message-list/check-session.ts';
import type { FollowListOptions } from '../message-list/follow-message-list.ts';
import type { ListedMessage } from '../message-list/listed-message.ts';
import { tokenCount } from '../token-count.ts';
import { checkLanguageModel, passOption, refOfLanguageModel } from './language-model.ts';
import { listOf } from './list-of.ts';
import type { AiSdkMessage, AiSdkPrompt } from './messages.ts';

import { type ToAiSdkOptions, toAiSdk } from './to-ai-sdk.ts';

/** Options of {@link varvePrepareStep}. */
export interface VarvePrepareStepOptions extends Pick<FollowListOptions, 'onShorter' | 'signal'>, ToAiSdkOptions {
  readonly session: Session;
  /** Whose window counts. @default the model of the step, by its provider up to a dot and its id */
  readonly model?: ModelRef | undefined;
  /** The system prompt that is given to `generateText`: it is not shown to a step, so it is counted here. @default none */
  readonly system?: string | undefined;
  /** Definitions of the tools, to be counted. @default none */
  readonly tools?: readonly JsonValue[] | undefined;
}

/** What a step is made of. */
export interface AiSdkStep {
  readonly messages: readonly AiSdkMessage[];
  readonly model: unknown;
  readonly steps: readonly { readonly usage?: AiSdkStepUsage | undefined }[];
}

/** Tokens of a step, as `generateText` reports them. */
export interface AiSdkStepUsage {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly inputTokenDetails?:
    | { readonly cacheReadTokens?: number | undefined; readonly cacheWriteTokens?: number | undefined }
    | undefined;
}

/** What a step is to be done with. */
export interface AiSdkPreparedStep {
  messages: AiSdkPrompt;
  providerOptions: { varve: { pass: true } };
}

/**
 * Lets a session decide what each step of `generateText` or `streamText` of `ai` 6 is sent: for their `prepareStep`.
 * The list of the step is followed into the journal, and what the session assembles is sent in its place, with the
 * system prompt of the call before it. What a step has cost is reported to the session with its answer.
 *
 * The answer of the last step is stored with the next list. A prompt that proves too long is not sent again from here;
 * `varveMiddleware` does both. With one of them the other is not needed, and steps away.
 *
 * @throws VARVE_OPTION_INVALID  without a session. A step throws what `followMessageList` throws, VARVE_BUDGET_IMPOSSIBLE,
 *   and VARVE_OPTION_INVALID for a model of another version than v3.
 */
export function varvePrepareStep(options: VarvePrepareStepOptions): (step: AiSdkStep) => Promise<AiSdkPreparedStep> {
  checkSession(options?.session);
  const { session, system, tools, onShorter, signal, cache } = options;
  return async ({ messages, model, steps }) => {
    const list = withUsage(listOf(messages), steps.at(-1)?.usage);
    const prompt = await askWithList(session, list, {
      model: options.model ?? refOf(model),
      system: system === undefined ? [] : [system],
      tools,
      onShorter,
      signal,
      ask: async ({ prompt: made, system: instructions }) => [
        ...instructions.map((content) => ({ role: 'system' as const, content })),
        ...toAiSdk(made, { cache }),
      ],
    });
    return { messages: prompt, providerOptions: passOption };
  };
}

/** A model by its name is one of the gateway: `openai/gpt-5.1`. */
function refOf(model: unknown): ModelRef {
  if (typeof model === 'string') {
    const [provider = '', ...name] = model.split('/');
    return name.length === 0 ? { provider: 'ai-sdk', model } : { provider, model: name.join('/') };
  }
  checkLanguageModel(model);
  return refOfLanguageModel(model as { readonly provider: string; readonly modelId: string });
}

/** What the step before has cost belongs to the last answer of the list. */
function withUsage(list: readonly ListedMessage[], reported: AiSdkStepUsage | undefined): readonly ListedMessage[] {
  const usage = usageOf(reported);
  const last = list.findLastIndex(({ message }) => message.role === 'assistant');
  return usage === null ? list : list.map((one, index) => (index === last ? { ...one, usage } : one));
}

function usageOf(reported: AiSdkStepUsage | undefined): Usage | null {
  const [all, outputTokens] = [tokenCount(reported?.inputTokens), tokenCount(reported?.outputTokens)];
  if (all === undefined || outputTokens === undefined) return null;
  const cacheReadTokens = tokenCount(reported?.inputTokenDetails?.cacheReadTokens) ?? 0;
  const cacheWriteTokens = tokenCount(reported?.inputTokenDetails?.cacheWriteTokens) ?? 0;
  const inputTokens = Math.max(0, all - cacheReadTokens - cacheWriteTokens);
  return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens };
}
