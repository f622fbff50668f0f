import type { Draft, Seq } from '@varve/core';

/**
 * For each entry, how many calls have carried its result along since it could have been pruned: since its turn had ended,
 * and since the newest answers that are kept came after it.
 */
export function carriedCallsOf({ items }: Draft, keepLastAssistants: number): ReadonlyMap<Seq, number> {
  const carried = new Map<Seq, number>();
  let answers = 0;
  let answersBehindTurn = 0;
  for (const { message, said, seq } of items.toReversed()) {
    if (message.role === 'assistant') answers += 1;
    if (said) answersBehindTurn = answers;
    if (seq !== null) carried.set(seq, Math.max(0, Math.min(answersBehindTurn, answers - keepLastAssistants)));
  }
  return carried;
}
