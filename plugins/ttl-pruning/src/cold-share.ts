import type { MessageEntry, Milliseconds } from '@varve/core';

/**
 * Share of a session's calls that came when the cache had gone cold, from 0 to 1. Each answer is a call, made about when
 * it was stored: nothing has to be recorded for it, and it is the same in every process.
 */
export function coldShareOf(messages: readonly MessageEntry[], ttlMs: Milliseconds): number {
  const times = messages.flatMap(({ at, message }) => (message.role === 'assistant' ? [at] : []));
  const cold = times.filter((at, index) => index > 0 && at - (times[index - 1] ?? at) > ttlMs);
  return cold.length / Math.max(1, times.length - 1);
}
