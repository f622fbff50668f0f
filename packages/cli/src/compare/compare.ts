import type { Tokens } from '@varve/core';
import type { Replay, ReplayOptions } from '../replay/replay.ts';
import { replayTranscript } from '../replay/replay-transcript.ts';
import { createRetentionMeter, type Retention } from './retention.ts';
import { optionsOf, type Strategy } from './strategy.ts';

/** What is compared: transcripts, each replayed with every strategy. */
export interface CompareOptions extends Pick<ReplayOptions, 'systemTokens' | 'gapMs' | 'item' | 'cacheTtl' | 'signal'> {
  readonly files: readonly string[];
  readonly strategies: readonly Strategy[];
  /** What each request may take; `null` for no limit. */
  readonly budgetTokens: Tokens | null;
  /** Told before each replay. *Contract:* not awaited; must not throw. */
  readonly onProgress?: ((step: ComparisonStep) => void) | undefined;
}

/** How far a comparison has come, and within its replay how far reading has. */
export interface ComparisonStep {
  readonly file: string;
  readonly strategy: string;
  readonly done: number;
  readonly of: number;
}

/** One transcript under one strategy. */
export interface ComparedReplay {
  readonly file: string;
  readonly strategy: string;
  /** `name@version`, in the order in which they ran. */
  readonly plugins: readonly string[];
  readonly requests: number;
  /** Requests that could not be made within the budget. */
  readonly failed: number;
  /** Requests that a provider would refuse. */
  readonly invalid: number;
  readonly compactions: number;
  /** Texts that were replaced for good. */
  readonly edits: number;
  /** Messages that a request left out and the one before had. */
  readonly dropped: number;
  /** Tokens of a request, on average. */
  readonly tokens: Tokens;
  /** Share of all tokens that was read from the provider's cache. */
  readonly hitRate: number;
  /** In input-token equivalents. */
  readonly cost: number;
  /** Cost as a share of sending everything; `null` when nothing was sent. */
  readonly costRatio: number | null;
  readonly retention: Retention;
  readonly health: Replay['health'];
}

/** What `varve compare --json` prints; fields are only ever added. */
export interface Comparison {
  readonly budget: Tokens | null;
  readonly replays: readonly ComparedReplay[];
  /** True when it was stopped before the end. */
  readonly interrupted: boolean;
}

/**
 * Replays each file with each strategy, one after the other, and measures what the prompts kept.
 *
 * @throws what `replayTranscript` throws. A strategy for which not one request fits into the budget is a row, no error.
 */
export async function compareStrategies(options: CompareOptions): Promise<Comparison> {
  const { files, strategies, budgetTokens, signal, onProgress } = options;
  const replays: ComparedReplay[] = [];
  const of = files.length * strategies.length;
  for (const file of files) {
    for (const strategy of strategies) {
      onProgress?.({ file, strategy: strategy.name, done: replays.length, of });
      const { replay, retention } = await replayWith(strategy, { ...options, file });
      if (replay.interrupted || signal?.aborted === true) return { budget: budgetTokens, replays, interrupted: true };
      replays.push(comparedReplay(strategy.name, { replay, retention }));
    }
  }
  return { budget: budgetTokens, replays, interrupted: false };
}

async function replayWith(
  strategy: Strategy,
  options: CompareOptions & { readonly file: string },
): Promise<{ readonly replay: Replay; readonly retention: Retention }> {
  const { file, budgetTokens, systemTokens, gapMs, item, cacheTtl, signal } = options;
  const meter = createRetentionMeter();
  const settings = { file, systemTokens, gapMs, item, cacheTtl, signal, observer: meter };
  const replay = await replayTranscript({ ...settings, ...optionsOf(strategy, budgetTokens) });
  return { replay, retention: meter.retention() };
}

function comparedReplay(
  strategy: string,
  { replay, retention }: { readonly replay: Replay; readonly retention: Retention },
): ComparedReplay {
  const { file, totals, health, requests, settings } = replay;
  const { failed, invalid, compactions, edits, dropped, hitRate, cost, costRatio } = totals;
  const made = requests.filter(({ error }) => error === undefined);
  return {
    file,
    strategy,
    plugins: settings.plugins,
    requests: totals.requests,
    failed,
    invalid,
    compactions,
    edits,
    dropped,
    tokens: Math.round(made.reduce((sum, row) => sum + row.tokens, 0) / Math.max(1, made.length)),
    hitRate,
    cost,
    costRatio,
    retention,
    health,
  };
}
