import { tokensOfBody } from './count-tokens.mjs';

/** Another counter may be off by this much. */
const tolerance = 1.03;

/**
 * The body fits its budget by an exact count, and the manifest's tokens add up to the prompt's.
 *
 * @returns {{ tokens: number, problems: { kind: string, what: string }[] }}
 */
export function checkTokens({ body, manifest, claimed }, { limit }) {
  const tokens = tokensOfBody(body);
  const most = Math.floor(limit * tolerance);
  const problems = tokens > most ? [{ kind: 'budget', what: `${tokens} tokens, at most ${most} are allowed` }] : [];
  const sum = sumOf(manifest);
  if (!Number.isFinite(sum)) problems.push({ kind: 'tokens', what: 'an entry or a layer has no tokens' });
  else if (claimed !== undefined && claimed !== sum) {
    problems.push({ kind: 'tokens', what: `the manifest adds up to ${sum}, the prompt is said to have ${claimed}` });
  }
  return { tokens, problems };
}

function sumOf({ entries, layers, notes = [], madeUpTokens }) {
  return [...entries, ...layers, ...notes].reduce((sum, { tokens }) => sum + tokens, madeUpTokens);
}
