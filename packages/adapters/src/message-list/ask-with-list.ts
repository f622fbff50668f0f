import {
  type JsonValue,
  type ModelRef,
  type Prompt,
  partsOfMessage,
  type Session,
  throwIfAborted,
  VarveError,
} from '@varve/core';
import { isOverflow } from '../provider-errors/classify-model-error.ts';
import { type FollowListOptions, followMessageList } from './follow-message-list.ts';
import { hostShare } from './host-share.ts';
import type { ListedMessage } from './listed-message.ts';

/** A prompt that stands for a list. */
export interface ListPrompt {
  readonly prompt: Prompt;
  /** The system messages at the front of the list, to be sent before those of the prompt. */
  readonly system: readonly string[];
}

/** What {@link askWithList} is asked for. */
export interface AskWithListOptions<Answer> extends FollowListOptions {
  /** The model that is asked, for its budget. */
  readonly model: ModelRef;
  /** Definitions of the tools that are sent along, to be counted. @default none */
  readonly tools?: readonly JsonValue[] | undefined;
  /** Texts that are sent beside the list, to be counted. @default none */
  readonly system?: readonly string[] | undefined;
  /** What the prompt is to answer, for plugins that look things up. @default what the user says last in the list */
  readonly query?: string | undefined;
  /** Calls the model with a prompt. An error that says that it was too long is recognised, whoever's it is. */
  ask(prompt: ListPrompt): Promise<Answer>;
}

/** Prompts that are tried for one answer. */
const mostAttempts = 3;

/**
 * Has a host's whole list answered with what a session makes of it: follows the list, compacts where that is due,
 * assembles, and asks. A prompt that proves too long is compacted and asked again, three times in all, as long as it
 * gets shorter. The answer is not stored: give it to `addToList`, or let the next list bring it.
 *
 * @throws what `followMessageList` throws; VARVE_BUDGET_IMPOSSIBLE, VARVE_ABORTED; and what `ask` throws, as it is.
 */
export async function askWithList<Answer>(
  session: Session,
  messages: readonly ListedMessage[],
  options: AskWithListOptions<Answer>,
): Promise<Answer> {
  const { model, tools, signal } = options;
  const { system } = await followMessageList(session, messages, options);
  const share = hostShare({ system: [...(options.system ?? []), ...system], tools });
  const request = { model, tools: share, query: options.query ?? lastWords(messages), signal };
  await compactIfDue(session, request);
  let smallest = Number.POSITIVE_INFINITY;
  let tooLong: unknown;
  for (let attempt = 1; ; attempt += 1) {
    throwIfAborted(signal);
    try {
      const prompt = await session.assemble(request);
      if (prompt.tokens >= smallest) throw tooLong;
      smallest = prompt.tokens;
      return await options.ask({ prompt, system });
    } catch (error) {
      throwIfAborted(signal);
      tooLong = error;
      if (attempt === mostAttempts || !isTooLong(error)) throw error;
      const { status } = await session.compact('overflow', request);
      throwIfAborted(signal);
      if (status !== 'compacted' && status !== 'stale') throw error;
    }
  }
}

interface Request {
  readonly model: ModelRef;
  readonly tools: readonly JsonValue[];
  readonly signal: AbortSignal | undefined;
}

async function compactIfDue(session: Session, request: Request): Promise<void> {
  try {
    await session.compact('threshold', request);
  } catch (error) {
    // A budget in which nothing fits is told by the prompt that cannot be made.
    if (!VarveError.is(error, 'VARVE_BUDGET_IMPOSSIBLE')) throw error;
  }
}

function isTooLong(error: unknown): boolean {
  if (VarveError.is(error)) return error.code === 'VARVE_MODEL_OVERFLOW' || error.code === 'VARVE_BUDGET_IMPOSSIBLE';
  return isOverflow(error);
}

/** What the user said last, for plugins that look things up. */
function lastWords(messages: readonly ListedMessage[]): string | undefined {
  const last = messages.findLast(({ message }) => message.role === 'user');
  if (last === undefined) return undefined;
  const texts = partsOfMessage(last.message).flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.length === 0 ? undefined : texts.join('\n');
}
