import type { Draft } from '@varve/core';
import { type Candidate, type CandidateRules, candidatesOf, keyOf } from './candidates.ts';
import { charsOfDraft } from './count-chars.ts';

/** When and how results are pruned. Sizes in characters. */
export interface PruneRules extends CandidateRules {
  readonly softTrimRatio: number;
  readonly hardClearRatio: number;
  readonly minPrunableToolChars: number;
  readonly hardClear: { readonly enabled: boolean; readonly placeholder: string };
}

/** A context window in characters has four for each token, the rule of thumb of the system that the rules come from. */
const charsPerToken = 4;

/**
 * Trims and clears old tool results of a draft if the conversation is large for its window. The edits are sticky: core
 * repeats them in every later prompt. Returns nothing when there is nothing to do.
 *
 * 1. The conversation takes less than `softTrimRatio` of the window, in characters: nothing.
 * 2. Every prunable result that is longer than `maxChars` keeps head and tail (`soft-trim`).
 * 3. Still `hardClearRatio` or more, and at least `minPrunableToolChars` in prunable results: they are replaced by the
 *    placeholder, oldest first, until it is less (`hard-clear`).
 *
 * @param rules.isFull  The prompt is over its hard limit: goes down to the budget's target, whatever the ratios say.
 */
export function prune(draft: Draft, rules: PruneRules & { readonly isFull: boolean }): Draft | undefined {
  const before = charsOfDraft(draft);
  const { softChars, hardChars } = limitsOf(draft, { rules, chars: before });
  if (before < softChars) return undefined;
  const candidates = candidatesOf(draft, rules);
  const trimmed = new Map(candidates.filter((one) => one.chars < one.charsBefore).map(({ key, text }) => [key, text]));
  const after = candidates.reduce((chars, one) => chars - one.charsBefore + one.chars, before);
  const cleared = clearedOf(candidates, { rules, chars: after, limit: hardChars });
  if (trimmed.size + cleared.size === 0) return undefined;
  const { placeholder } = rules.hardClear;
  return draft
    .edit(({ item, part }) => (cleared.has(keyOf(item, part)) ? undefined : trimmed.get(keyOf(item, part))), {
      rule: 'soft-trim',
      sticky: true,
    })
    .edit(({ item, part }) => (cleared.has(keyOf(item, part)) ? placeholder : undefined), {
      rule: 'hard-clear',
      sticky: true,
      clears: true,
    });
}

/** Sizes from which on results are trimmed, and are cleared. */
function limitsOf(
  { budget, tokens }: Draft,
  options: { readonly rules: PruneRules & { readonly isFull: boolean }; readonly chars: number },
): { readonly softChars: number; readonly hardChars: number } {
  const { rules, chars } = options;
  const windowChars = budget.window * charsPerToken;
  const softChars = rules.softTrimRatio * windowChars;
  const hardChars = rules.hardClearRatio * windowChars;
  if (!rules.isFull) return { softChars, hardChars };
  // How many characters a token really has here: four is far off for code, and farther for Chinese.
  const charsPerTokenHere = chars / Math.max(1, tokens + budget.reserved - budget.fixed);
  return { softChars: 0, hardChars: Math.min(hardChars, (budget.target - budget.fixed) * charsPerTokenHere) };
}

/** Keys of the results to clear: the oldest, as many as it takes. */
function clearedOf(
  candidates: readonly Candidate[],
  options: { readonly rules: PruneRules; readonly chars: number; readonly limit: number },
): ReadonlySet<string> {
  const { hardClear, minPrunableToolChars } = options.rules;
  const prunable = candidates.reduce((sum, candidate) => sum + candidate.chars, 0);
  const cleared = new Set<string>();
  if (!hardClear.enabled || prunable < minPrunableToolChars) return cleared;
  let { chars } = options;
  for (const candidate of candidates) {
    if (chars < options.limit) break;
    const saved = candidate.chars - hardClear.placeholder.length;
    if (saved <= 0) continue;
    cleared.add(candidate.key);
    chars -= saved;
  }
  return cleared;
}
