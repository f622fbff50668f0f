/** Most tokens that are believed of a report, and that a sum comes to: beyond it numbers cannot be counted with. */
export const mostReportedTokens: number = Number.MAX_SAFE_INTEGER;

/** Tokens that a provider may have reported; 0 for whatever else stands there, as journals are written by others too. */
export function reportedTokens(given: unknown): number {
  const isCount = typeof given === 'number' && given >= 0 && given <= mostReportedTokens;
  return isCount ? given : 0;
}
