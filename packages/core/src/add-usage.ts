import type { Usage } from './message.ts';

/** A usage with all of its numbers: those that nobody reported are 0. */
type WholeUsage = { readonly [Field in keyof Usage]-?: number };

/** Adds what a provider reported of one more call; `null` and numbers that were not reported add nothing. */
export function addUsage(sum: WholeUsage, usage: Usage | null | undefined): WholeUsage {
  return {
    inputTokens: sum.inputTokens + (usage?.inputTokens ?? 0),
    outputTokens: sum.outputTokens + (usage?.outputTokens ?? 0),
    cacheReadTokens: sum.cacheReadTokens + (usage?.cacheReadTokens ?? 0),
    cacheWriteTokens: sum.cacheWriteTokens + (usage?.cacheWriteTokens ?? 0),
  };
}
