import type { BudgetOptions, Message, PluginList } from '@varve/core';
import { type TtlPruningOptions, ttlPruning } from '@varve/plugin-ttl-pruning';
import type { CacheRules } from './cache-simulator.ts';

/** Name of a provider's prices. */
export type ProfileName = 'anthropic-5m' | 'anthropic-1h' | 'openai' | 'none';

/** How each provider's cache is simulated. Written down here once more, so that the product's own table is checked. */
export const profiles: Readonly<Record<ProfileName, CacheRules>> = {
  'anthropic-5m': { read: 0.1, write: 1.25, lifeMs: 300_000, keeps: 'marks' },
  'anthropic-1h': { read: 0.1, write: 2, lifeMs: 3_600_000, keeps: 'marks' },
  openai: { read: 0.1, write: 1, lifeMs: 600_000, keeps: 'everywhere' },
  none: { read: 1, write: 1, lifeMs: 0, keeps: 'everywhere' },
};

const lives: Readonly<Record<ProfileName, string>> = {
  'anthropic-5m': '5m',
  'anthropic-1h': '1h',
  openai: '10m',
  none: '0s',
};

/** A way to keep the prompt small. */
export interface Strategy {
  readonly name: string;
  readonly budget: BudgetOptions;
  plugins(profile: ProfileName): PluginList;
  /** What is sent of the prompt, given the size of a message in tokens. */
  view?(messages: readonly Message[], tokensOf: (message: Message) => number): readonly Message[];
}

const unlimited: BudgetOptions = { inputTokens: null };
const windowTokens = 32_000;

/** What is compared. No budget cuts any of them, so that all cost of a strategy is its own. */
export const strategies: readonly Strategy[] = [
  { name: 'never', budget: unlimited, plugins: () => [] },
  { name: 'auto', budget: unlimited, plugins: (prices) => [ttlPruning({ mode: 'auto', prices })] },
  ...[200_000, 100_000].map((contextTokens) => fixedRule(contextTokens)),
  { name: `sliding ${windowTokens / 1_000}k`, budget: unlimited, plugins: () => [], view: slide },
];

function fixedRule(contextTokens: number): Strategy {
  return {
    name: `cache-ttl ${contextTokens / 1_000}k`,
    budget: { contextTokens, inputTokens: null },
    plugins: (profile) => [ttlPruning({ mode: 'cache-ttl', ttl: lives[profile] } satisfies TtlPruningOptions)],
  };
}

/** The newest messages that fit, not beginning with results whose call is left out. */
function slide(messages: readonly Message[], tokensOf: (message: Message) => number): readonly Message[] {
  let start = messages.length;
  let tokens = 0;
  while (start > 0) {
    tokens += tokensOf(messages[start - 1] as Message);
    if (tokens > windowTokens) break;
    start -= 1;
  }
  const first = messages.findIndex(({ role }, index) => index >= start && role !== 'tool');
  return first === -1 ? messages.slice(-1) : messages.slice(first);
}
