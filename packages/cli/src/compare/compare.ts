import { resolve } from 'node:path';
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
  /** Told of a file that cannot be replayed; the next one follows. @default its error is thrown */
  readonly onFailure?: ((failure: { readonly file: string; readonly error: unknown }) => void) | undefined;
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
  /** Messages that at least one request left out, each counted once. */
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
 * Replays each file with each strategy, one after the other, and measures what the prompts kept. A file that is named
 * twice is replayed once.
 *
 * @throws what `replayTranscript` throws, but with `onFailure`. A strategy for which not one request fits into the budget is a row, no error.
 */
export async function compareStrategies(options: CompareOptions): Promise<Comparison> {
  const { budgetTokens, signal, onFailure } = options;
  const files = [...new Map(options.files.map((file) => [resolve(file), file])).values()];
  const replays: ComparedReplay[] = [];
  for (const [index, file] of files.entries()) {
    try {
      const isDone = await compareOn({ file, index, files: files.length }, { options, replays });
      if (!isDone) return { budget: budgetTokens, replays, interrupted: true };
    } catch (error) {
      if (onFailure === undefined || signal?.aborted === true) throw error;
      onFailure({ file, error });
    }
  }
  return { budget: budgetTokens, replays, interrupted: false };
}

/** Adds a replay of one file for each strategy; `false` when it was stopped. */
async function compareOn(
  { file, index, files }: { readonly file: string; readonly index: number; readonly files: number },
  { options, replays }: { readonly options: CompareOptions; readonly replays: ComparedReplay[] },
): Promise<boolean> {
  const { strategies, signal, onProgress } = options;
  const of = files * strategies.length;
  for (const [step, strategy] of strategies.entries()) {
    onProgress?.({ file, strategy: strategy.name, done: index * strategies.length + step, of });
    const { replay, retention } = await replayWith(strategy, { ...options, file });
    if (replay.interrupted || signal?.aborted === true) return false;
    replays.push(comparedReplay(strategy.name, { replay, retention }));
  }
  return true;
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
