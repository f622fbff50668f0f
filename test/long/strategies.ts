import type { ModelPort, Plugin } from '@varve/core';
import { legacyEngine } from '@varve/plugin-legacy-engine';
import { recall } from '@varve/plugin-recall';
import { summaryCompaction } from '@varve/plugin-summary-compaction';
import { ttlPruning } from '@varve/plugin-ttl-pruning';
import { strata } from '@varve/preset-strata';
import type { StrategyName } from './factors.ts';
import { editing, faulty, planning, proseWriting } from './plugins/hostile.ts';
import { lastTurns } from './plugins/last-turns.ts';

/** Window of a model that has to take notes on what is long. */
const smallWindow = 8_000;

/** The plugins of a strategy; the same seed gives plugins that do the same. */
export function pluginsOf(
  strategy: StrategyName,
  { seed, summariser }: { readonly seed: number; readonly summariser: ModelPort },
): readonly Plugin[] {
  const pruned = {
    minPrunableToolChars: 0,
    keepLastAssistants: 1 + (seed % 3),
    softTrim: { maxChars: 900, headChars: 200, tailChars: 200 },
  };
  const prices = seed % 2 === 0 ? 'anthropic-5m' : 'openai';
  // Some transcripts are compacted for their number of messages, some by a model that cannot read much at once.
  const limits = seed % 2 === 0 ? { compactAtMessages: 12, compactAtRatio: 0.5 } : {};
  const models = [seed % 3 === 0 ? { port: summariser, contextTokens: smallWindow } : summariser];
  switch (strategy) {
    case 'legacy':
      return seed % 2 === 0 ? [] : [legacyEngine()];
    case 'pruning':
      return [ttlPruning(pruned)];
    case 'auto':
      return [ttlPruning({ ...pruned, mode: 'auto', prices })];
    case 'prose':
      return [summaryCompaction({ ...limits, models })];
    case 'background':
      return [ttlPruning(pruned), summaryCompaction({ ...limits, models })];
    case 'recall':
      return [summaryCompaction({ ...limits, models }), recall({ minScore: seed % 3 === 0 ? 0 : 0.25 })];
    case 'strata':
      return strata({ prices, pruning: pruned, compaction: limits });
    case 'hostile':
      return hostilePlugins(seed, models);
  }
}

function hostilePlugins(
  seed: number,
  models: NonNullable<Parameters<typeof summaryCompaction>[0]>['models'],
): readonly Plugin[] {
  switch (seed % 5) {
    case 0:
      return [editing({ seed })];
    case 1:
      return [planning({ seed }), proseWriting({ seed })];
    case 2:
      return [planning({ seed }), summaryCompaction({ models })];
    case 3:
      return [lastTurns({ keep: 1 + (seed % 3) }), editing({ seed }), summaryCompaction()];
    default:
      return [faulty({ seed }), editing({ seed }), summaryCompaction()];
  }
}
