import type { ModelPort, Plugin } from '@varve/core';
import { legacyEngine } from '@varve/plugin-legacy-engine';
import { summaryCompaction } from '@varve/plugin-summary-compaction';
import { ttlPruning } from '@varve/plugin-ttl-pruning';
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
  const pruning = ttlPruning({
    minPrunableToolChars: 0,
    keepLastAssistants: 1 + (seed % 3),
    softTrim: { maxChars: 900, headChars: 200, tailChars: 200 },
  });
  // Some transcripts are compacted for their number of messages, some by a model that cannot read much at once.
  const limits = seed % 2 === 0 ? { compactAtMessages: 12, compactAtRatio: 0.5 } : {};
  const models = [seed % 3 === 0 ? { port: summariser, contextTokens: smallWindow } : summariser];
  switch (strategy) {
    case 'legacy':
      return seed % 2 === 0 ? [] : [legacyEngine()];
    case 'pruning':
      return [pruning];
    case 'prose':
    case 'background':
      return [summaryCompaction({ ...limits, models })];
    case 'digest':
      return [summaryCompaction(limits)];
    case 'both':
      return [pruning, summaryCompaction({ ...limits, models })];
    case 'last-turns':
      return [lastTurns({ keep: 1 + (seed % 3) })];
    case 'hostile':
      return hostilePlugins(seed, models);
  }
}

function hostilePlugins(
  seed: number,
  models: NonNullable<Parameters<typeof summaryCompaction>[0]>['models'],
): readonly Plugin[] {
  switch (seed % 4) {
    case 0:
      return [editing({ seed })];
    case 1:
      return [planning({ seed }), proseWriting({ seed })];
    case 2:
      return [planning({ seed }), summaryCompaction({ models })];
    default:
      return [faulty({ seed }), editing({ seed }), summaryCompaction()];
  }
}
