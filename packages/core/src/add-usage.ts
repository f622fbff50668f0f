import type { Usage } from './message.ts';
import { mostReportedTokens, reportedTokens } from './reported-tokens.ts';

/** A usage with all of its numbers: those that nobody reported are 0. */
type WholeUsage = { readonly [Field in keyof Usage]-?: number };

/**
 * Adds what a provider reported of one more call; `null`, and numbers that were not reported or that no call can have,
 * add nothing. No sum is more than {@link mostReportedTokens}.
 */
export function addUsage(sum: WholeUsage, usage: Usage | null | undefined): WholeUsage {
  const added = (field: keyof Usage): number =>
    Math.min(mostReportedTokens, sum[field] + reportedTokens(usage?.[field]));
  return {
    inputTokens: added('inputTokens'),
    outputTokens: added('outputTokens'),
    cacheReadTokens: added('cacheReadTokens'),
    cacheWriteTokens: added('cacheWriteTokens'),
  };
}
