import type { Plugin } from '@varve/core';
import { type RecallOptions, recall } from '@varve/plugin-recall';
import { summaryCompaction } from '@varve/plugin-summary-compaction';
import { ttlPruning } from '@varve/plugin-ttl-pruning';
import { type CounterName, productRun } from './product-run.ts';
import { smallerDigest } from './smaller-digest.ts';
import type { MissingStrategy, Strategy } from './strategy.ts';

/** Parts of the product that can be taken away, to see what each is worth. */
export const ablations = ['recall', 'ledger', 'userlog', 'pruning', 'neighbours', 'weights'] as const;

/** One of them. */
export type Ablation = (typeof ablations)[number];

/** How the product is run. */
export interface ProductOptions {
  readonly modes: readonly string[];
  readonly counter: CounterName;
  readonly ablate: readonly Ablation[];
}

interface ProductMode {
  readonly name: string;
  /** When old results are pruned. */
  readonly pruning: 'cache-ttl' | 'auto';
  /** What recall is told; `null` for no recall. */
  readonly recall: RecallOptions | null;
}

/** The modes that there are: pruning and compaction, and recall in one of its own; `strata` is the preset of that name. */
export const productModes: readonly ProductMode[] = [
  { name: 'default', pruning: 'cache-ttl', recall: null },
  { name: 'strata', pruning: 'auto', recall: { mode: 'cache-friendly' } },
  { name: 'cache-friendly', pruning: 'cache-ttl', recall: { mode: 'cache-friendly' } },
  { name: 'quality', pruning: 'cache-ttl', recall: { mode: 'quality' } },
];

/** Parts that no option of the product takes away. */
const fixedParts: readonly Ablation[] = ['neighbours', 'weights'];

/** The product, once a mode, and once more for each part that is taken away. */
export function productStrategies({ modes, counter, ablate }: ProductOptions): {
  readonly strategies: readonly Strategy[];
  readonly missing: readonly MissingStrategy[];
} {
  const wanted = productModes
    .filter(({ name }) => modes.includes(name))
    .flatMap((mode) => [null, ...ablate].map((part) => ({ mode, part, name: nameOf(mode, part) })));
  const whyNot = ({ mode, part }: (typeof wanted)[number]): string | null => {
    if (part === null) return null;
    if (fixedParts.includes(part)) return `no option of the recall plugin takes its ${part} away`;
    return part === 'recall' && mode.recall === null ? 'this mode recalls nothing' : null;
  };
  return {
    strategies: wanted.flatMap((one) => (whyNot(one) === null ? [strategyOf(one, counter)] : [])),
    missing: wanted.flatMap((one) => {
      const why = whyNot(one);
      return why === null ? [] : [{ name: one.name, why }];
    }),
  };
}

function nameOf({ name }: ProductMode, part: Ablation | null): string {
  return `varve ${name}${part === null ? '' : ` without ${part}`}`;
}

function strategyOf(
  { mode, part, name }: { readonly mode: ProductMode; readonly part: Ablation | null; readonly name: string },
  counter: CounterName,
): Strategy {
  return {
    name,
    family: 'product',
    source: '@varve/core through createHost, session.ingest, session.compact and session.assemble',
    open: (budget) => productRun(pluginsOf(mode, part), { budget, counter }),
  };
}

/** In the order of the documentation; each run has plugins of its own. */
function pluginsOf(mode: ProductMode, part: Ablation | null): readonly Plugin[] {
  const recallOptions = part === 'ledger' ? { ...mode.recall, shares: { ledger: 0 } } : mode.recall;
  return [
    ...(part === 'pruning' ? [] : [ttlPruning({ mode: mode.pruning })]),
    ...(part === 'ledger' || part === 'userlog' ? [smallerDigest(part)] : []),
    summaryCompaction(),
    ...(mode.recall === null || recallOptions === null || part === 'recall' ? [] : [recall(recallOptions)]),
  ];
}
