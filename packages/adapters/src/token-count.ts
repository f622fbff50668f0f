/** A number of tokens as a provider reports it; `undefined` for what nobody can count: a text, NaN, less than nothing. */
export function tokenCount(given: unknown): number | undefined {
  const isCount = typeof given === 'number' && given >= 0 && given <= Number.MAX_SAFE_INTEGER;
  return isCount ? given : undefined;
}
