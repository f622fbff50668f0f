import type { Draft } from '../draft/draft.ts';
import type { HostEvents } from './events.ts';

/** What a tap did to a draft; nothing for a tap of a hook that works on something else. */
export function draftFacts(
  input: unknown,
  output: unknown,
): Pick<HostEvents['tap-finished'], 'tokensBefore' | 'tokensAfter' | 'changes'> {
  if (!isDraft(input) || !isDraft(output)) return {};
  return { tokensBefore: input.tokens, tokensAfter: output.tokens, changes: output.diff(input).changes };
}

/** True for a draft, as far as can be seen from outside. */
export function isDraft(value: unknown): value is Draft {
  return typeof value === 'object' && value !== null && 'addLayer' in value;
}
