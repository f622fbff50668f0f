import type { Draft, Tokens } from '@varve/core';
import { type Candidate, type CandidateRules, candidatesOf, keyOf } from './candidates.ts';
import { carriedCallsOf } from './carried-calls.ts';
import { worthOfBatch } from './cost-model.ts';
import type { CachePrices } from './price-profile.ts';
import { findSuperseded } from './superseded.ts';

/** Which results are pruned, and how. Sizes in characters. */
interface CostRules extends CandidateRules {
  /** This much of the newest prunable results is trimmed and never cleared, unless the prompt is over its limit. */
  readonly minPrunableToolChars: number;
  readonly hardClear: { readonly enabled: boolean; readonly placeholder: string };
  readonly prices: CachePrices;
}

/**
 * Why results may be pruned now. `cold`: no cache holds the prompt, so that rewriting it costs nothing. `full`: the
 * prompt is over its hard limit. `warm`: a cache holds it, so that a batch has to be worth what it costs.
 */
export type PruneReason = 'cold' | 'full' | 'warm';

/** What {@link pruneByCost} decides by. */
interface PruneOptions {
  readonly rules: CostRules;
  readonly reason: PruneReason;
  /** Share of the calls that come when the cache has gone cold; asked for where it matters. */
  readonly coldShare: () => number;
}

/** What was pruned. */
export interface PrunedByCost {
  readonly draft: Draft;
  readonly results: number;
  /** Estimated tokens that every later prompt is shorter by. */
  readonly saved: Tokens;
  /** Estimated tokens that the cache held behind the first change. */
  readonly tail: Tokens;
}

/** How one result is to be pruned. */
interface Prune {
  readonly candidate: Candidate;
  readonly rule: 'superseded' | 'soft-trim' | 'hard-clear';
  readonly text: string;
  readonly saved: Tokens;
}

/** A change that saves less is not worth what is lost with it, about 50 tokens. */
const leastSavedChars = 200;

/**
 * Prunes old tool results of a draft as far as it pays. The edits are sticky: core repeats them in every later prompt.
 * Returns nothing when nothing pays.
 *
 * 1. A result whose call was made again gives way to a note of the newer one (`superseded`).
 * 2. The newest `minPrunableToolChars` of the others keep head and tail (`soft-trim`).
 * 3. What is older is replaced by the placeholder (`hard-clear`).
 *
 * A cold or full prompt has all of it done at once; a full one clears further, oldest first, down to the budget's target.
 * A warm one has it done from the place on from which it is worth most, if it is worth anything.
 */
export function pruneByCost(draft: Draft, { rules, reason, coldShare }: PruneOptions): PrunedByCost | undefined {
  const candidates = candidatesOf(draft, rules);
  const possible = prunesOf(candidates, { draft, rules });
  const wanted = reason === 'full' ? clearToTarget(candidates, { draft, rules, possible }) : possible;
  if (wanted.length === 0) return undefined;
  const tailOf = tailsOf(draft, rules.prices);
  const chosen = reason === 'warm' ? worthiest(wanted, { draft, rules, tailOf, coldShare: coldShare() }) : wanted;
  const [first] = chosen;
  if (first === undefined) return undefined;
  const saved = savedBy(chosen);
  const tail = reason === 'cold' ? 0 : Math.max(0, tailOf(first) - saved);
  return { draft: withPrunes(draft, chosen), results: chosen.length, saved, tail };
}

/** What could be done to each result, oldest first. */
function prunesOf(
  candidates: readonly Candidate[],
  { draft, rules }: { readonly draft: Draft; readonly rules: CostRules },
): readonly Prune[] {
  const newerOf = findSuperseded(draft);
  const { hardClear, minPrunableToolChars } = rules;
  let newerChars = 0;
  const prunes = candidates.toReversed().map((candidate): Prune => {
    const newer = newerOf(candidate);
    if (newer !== undefined)
      return pruneTo(candidate, 'superseded', `[Left out: #${newer} has the newer result of the same call]`);
    newerChars += candidate.chars;
    const isOld = newerChars > minPrunableToolChars;
    if (hardClear.enabled && isOld) return pruneTo(candidate, 'hard-clear', hardClear.placeholder);
    return pruneTo(candidate, 'soft-trim', candidate.text);
  });
  return prunes.toReversed().filter(isWorthwhile);
}

function pruneTo(candidate: Candidate, rule: Prune['rule'], text: string): Prune {
  const { charsBefore, chars, tokens } = candidate;
  const after = rule === 'soft-trim' ? chars : text.length;
  const saved = charsBefore === 0 ? 0 : (tokens * (charsBefore - after)) / charsBefore;
  return { candidate, rule, text, saved };
}

function isWorthwhile({ candidate: { charsBefore, tokens }, saved }: Prune): boolean {
  return saved > 0 && saved * charsBefore >= leastSavedChars * tokens;
}

/** Clears more of what is left, oldest first, until the prompt is at its target. */
function clearToTarget(
  candidates: readonly Candidate[],
  options: { readonly draft: Draft; readonly rules: CostRules; readonly possible: readonly Prune[] },
): readonly Prune[] {
  const { draft, rules, possible } = options;
  const byKey = new Map(possible.map((prune) => [prune.candidate.key, prune]));
  const { enabled, placeholder } = rules.hardClear;
  const { reserved, target } = draft.budget;
  let tokens = draft.tokens + reserved - savedBy(possible);
  for (const candidate of enabled ? candidates : []) {
    if (tokens <= target) break;
    const before = byKey.get(candidate.key);
    const clear = pruneTo(candidate, 'hard-clear', placeholder);
    if (before?.rule === 'superseded' || !isWorthwhile(clear) || clear.saved <= (before?.saved ?? 0)) continue;
    byKey.set(candidate.key, clear);
    tokens -= clear.saved - (before?.saved ?? 0);
  }
  return candidates.flatMap(({ key }) => byKey.get(key) ?? []);
}

type TailOf = (prune: Prune) => Tokens;

/**
 * Tokens that a cache holds and that a prune has written anew: what came since the last call is new in any case. A cache
 * that finds any prefix loses what lies behind the change; one that finds prefixes at marks alone loses all messages.
 */
function tailsOf({ items, layers }: Draft, { findsAnyPrefix }: CachePrices): TailOf {
  const lastCall = items.findLastIndex(({ message }) => message.role === 'assistant');
  const tails = new Map<number, Tokens>();
  let tokens = 0;
  for (let index = lastCall - 1; index >= 0; index -= 1) {
    const item = items[index];
    tokens += item?.tokens ?? 0;
    if (item !== undefined && item.seq !== null) tails.set(item.seq, tokens);
  }
  const summary = layers.reduce((sum, layer) => sum + (layer.place === 'summary' ? layer.tokens : 0), 0);
  return ({ candidate }) => (findsAnyPrefix ? (tails.get(candidate.seq) ?? 0) : tokens + summary);
}

/** The prunes from the place on from which they are worth most; none when they are worth less than nothing. */
function worthiest(
  prunes: readonly Prune[],
  options: {
    readonly draft: Draft;
    readonly rules: CostRules;
    readonly tailOf: TailOf;
    readonly coldShare: number;
  },
): readonly Prune[] {
  const { draft, rules, tailOf, coldShare } = options;
  const callsOf = carriedCallsOf(draft, rules.keepLastAssistants);
  let [saved, carried] = [0, 0];
  let best = { worth: 0, from: prunes.length };
  for (let from = prunes.length - 1; from >= 0; from -= 1) {
    const prune = prunes[from] as Prune;
    saved += prune.saved;
    carried += prune.saved * (callsOf.get(prune.candidate.seq) ?? 0);
    const batch = { saved, carried, tail: Math.max(0, tailOf(prune) - saved) };
    const worth = worthOfBatch(rules.prices, { batch, coldShare });
    if (worth >= best.worth) best = { worth, from };
  }
  return prunes.slice(best.from);
}

function savedBy(prunes: readonly Prune[]): Tokens {
  return prunes.reduce((sum, { saved }) => sum + saved, 0);
}

function withPrunes(draft: Draft, prunes: readonly Prune[]): Draft {
  return (['soft-trim', 'superseded', 'hard-clear'] as const).reduce((before, rule) => {
    const texts = new Map(prunes.flatMap((prune) => (prune.rule === rule ? [[prune.candidate.key, prune.text]] : [])));
    if (texts.size === 0) return before;
    const clears = rule !== 'soft-trim';
    return before.edit(({ item, part }) => texts.get(keyOf(item, part)), { rule, sticky: true, clears });
  }, draft);
}
