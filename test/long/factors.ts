import { seededRandom } from '@varve/testkit';

/** Who the prompts of a transcript are sent to. */
export const providerNames = ['anthropic', 'openai-chat', 'openai-responses', 'gemini'] as const;

/** What a host is made with. */
export const strategyNames = [
  'legacy',
  'pruning',
  'auto',
  'prose',
  'background',
  'recall',
  'strata',
  'hostile',
] as const;

/** What is wrong with the model that writes summaries. */
export const faultNames = [
  'none',
  'throws',
  'empty',
  'too-long',
  'cut-by-length',
  'tool-call',
  'injected',
  'slow',
  'never',
  'wrong-language',
  'refusal',
  'overflow',
] as const;

/** Name of a provider. */
export type ProviderName = (typeof providerNames)[number];

/** Name of a strategy. */
export type StrategyName = (typeof strategyNames)[number];

/** Name of a fault. */
export type FaultName = (typeof faultNames)[number];

/** What is drawn for each transcript, besides its conversation and operations. */
export interface Factors {
  readonly provider: ProviderName;
  readonly strategy: StrategyName;
  readonly fault: FaultName;
}

/** Transcripts within which each combination comes once. */
const combinations = providerNames.length * strategyNames.length * faultNames.length;

/** Keeps the order of combinations apart from what else a number decides. */
const orderSalt = 0x5eed;

const orders = new Map<number, readonly number[]>();

/**
 * The factors of a seed. Seeds are parted into blocks; each block holds every combination once, in an order of its own.
 * So a seed alone decides, and any run of seeds has each pair of values about equally often.
 */
export function factorsOf(seed: number): Factors {
  const block = Math.floor(seed / combinations);
  const index = orderOf(block)[seed - block * combinations] ?? 0;
  const rest = Math.floor(index / providerNames.length);
  return {
    provider: elementAt(providerNames, index % providerNames.length),
    strategy: elementAt(strategyNames, rest % strategyNames.length),
    fault: elementAt(faultNames, Math.floor(rest / strategyNames.length)),
  };
}

function orderOf(block: number): readonly number[] {
  const known = orders.get(block);
  if (known !== undefined) return known;
  const random = seededRandom(block + orderSalt);
  const order = Array.from({ length: combinations }, (_, index) => index);
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = random.integer(0, last);
    [order[last], order[other]] = [order[other] ?? 0, order[last] ?? 0];
  }
  orders.set(block, order);
  return order;
}

function elementAt<Element>(list: readonly Element[], index: number): Element {
  const element = list[index];
  if (element === undefined) throw new RangeError(`there is no element ${index}`);
  return element;
}

/** True for strategies that have a model write prose when a session is compacted. */
export function asksSummariser(strategy: StrategyName): boolean {
  return strategy === 'prose' || strategy === 'background' || strategy === 'recall';
}

/** True for strategies that prune, for which it matters whether the provider's cache has expired. */
export function prunes(strategy: StrategyName): boolean {
  return ['pruning', 'auto', 'background', 'strata'].includes(strategy);
}

/** True for strategies that bring back, in notes, what a compaction has hidden. */
export function recalls(strategy: StrategyName): boolean {
  return strategy === 'recall' || strategy === 'strata';
}

/** True for strategies whose plugins must never be found in ill health. */
export function isSound(strategy: StrategyName): boolean {
  return ['legacy', 'pruning', 'auto', 'strata'].includes(strategy);
}
