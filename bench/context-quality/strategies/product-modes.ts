import type { Plugin } from '@varve/core';
import { type RecallOptions, recall } from '@varve/plugin-recall';
import { summaryCompaction } from '@varve/plugin-summary-compaction';
import { ttlPruning } from '@varve/plugin-ttl-pruning';
import { type DigestShares, digestShares, usualDigest } from './digest-shares.ts';
import { type CounterName, productRun } from './product-run.ts';
import type { MissingStrategy, Strategy } from './strategy.ts';

/** Parts of the product that can be taken away, to see what each is worth. */
export const ablations = ['recall', 'ledger', 'userlog', 'neighbours', 'weights', 'lines', 'pruning'] as const;

/** One of them. */
export type Ablation = (typeof ablations)[number];

/** How the product is run. */
export interface ProductOptions {
  readonly modes: readonly string[];
  readonly counter: CounterName;
  readonly ablate: readonly Ablation[];
}

/** What the product is told: the plugins of a mode, and what each of them is. */
export interface ProductSettings {
  /** When old results are pruned; `null` for never. */
  readonly pruning: 'cache-ttl' | 'auto' | null;
  /** What recall is told; `null` for no recall. */
  readonly recall: RecallOptions | null;
  /** `null` for what the product has by itself. */
  readonly digest: DigestShares | null;
}

interface ProductMode extends ProductSettings {
  readonly name: string;
}

/** The modes that there are: pruning and compaction, and recall in one of its own; `strata` is the preset of that name. */
export const productModes: readonly ProductMode[] = [
  { name: 'default', pruning: 'cache-ttl', recall: null, digest: null },
  { name: 'strata', pruning: 'auto', recall: { mode: 'cache-friendly' }, digest: null },
  { name: 'cache-friendly', pruning: 'cache-ttl', recall: { mode: 'cache-friendly' }, digest: null },
  { name: 'quality', pruning: 'cache-ttl', recall: { mode: 'quality' }, digest: null },
];

/** The product, once a mode, and once more for each part that is taken away. */
export function productStrategies({ modes, counter, ablate }: ProductOptions): {
  readonly strategies: readonly Strategy[];
  readonly missing: readonly MissingStrategy[];
} {
  const wanted = productModes
    .filter(({ name }) => modes.includes(name))
    .flatMap((mode) => [null, ...ablate].map((part) => ({ name: nameOf(mode, part), settings: without(mode, part) })));
  return {
    strategies: wanted.flatMap(({ name, settings }) =>
      typeof settings === 'string' ? [] : [productStrategy(name, { settings, counter })],
    ),
    missing: wanted.flatMap(({ name, settings }) => (typeof settings === 'string' ? [{ name, why: settings }] : [])),
  };
}

/** The product with some settings, under a name. */
export function productStrategy(
  name: string,
  { settings, counter }: { readonly settings: ProductSettings; readonly counter: CounterName },
): Strategy {
  return {
    name,
    family: 'product',
    source: '@varve/core through createHost, session.ingest, session.compact and session.assemble',
    open: (budget) => productRun(pluginsOf(settings), { budget, counter }),
  };
}

/** Name of a mode without a part. */
export function nameOf({ name }: { readonly name: string }, part: Ablation | null): string {
  return `varve ${name}${part === null ? '' : ` without ${part}`}`;
}

const nothingRecalled = 'this mode recalls nothing';

/** A mode without a part, or why it cannot be had. */
function without(mode: ProductMode, part: Ablation | null): ProductSettings | string {
  const { recall: told } = mode;
  switch (part) {
    case null:
      return mode;
    case 'pruning':
      return { ...mode, pruning: null };
    case 'userlog':
      return { ...mode, digest: { ...usualDigest, userLog: 0 } };
    case 'ledger':
      return {
        ...mode,
        digest: { ...usualDigest, ledger: 0 },
        recall: told === null ? null : { ...told, shares: { ledger: 0 } },
      };
    case 'recall':
      return told === null ? nothingRecalled : { ...mode, recall: null };
    case 'neighbours':
      return told === null ? nothingRecalled : { ...mode, recall: { ...told, neighbours: 0 } };
    case 'weights':
      return told === null ? nothingRecalled : { ...mode, recall: { ...told, weights: { identifiers: 0 } } };
    case 'lines':
      if (told?.mode !== 'cache-friendly') return told === null ? nothingRecalled : 'this mode has no notes';
      return { ...mode, recall: { ...told, shares: { identifiers: 0 } } };
  }
}

/** In the order of the documentation; each run has plugins of its own. */
function pluginsOf({ pruning, recall: told, digest }: ProductSettings): readonly Plugin[] {
  return [
    ...(pruning === null ? [] : [ttlPruning({ mode: pruning })]),
    ...(digest === null ? [] : [digestShares(digest)]),
    summaryCompaction(),
    ...(told === null ? [] : [recall(told)]),
  ];
}
