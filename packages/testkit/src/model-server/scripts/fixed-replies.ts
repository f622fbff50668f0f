import type { ModelOutcome, ModelScript } from '../exchange/model-outcome.ts';

/**
 * Answers the first request with the first reply, the second with the second, and all that come later with the last.
 * Requests are counted by the server, those that it refused included.
 */
export function fixedReplies(...replies: readonly [string | ModelOutcome, ...(string | ModelOutcome)[]]): ModelScript {
  return ({ number }) => replies[Math.min(number, replies.length) - 1] ?? replies[0];
}
