import type { Milliseconds, Tokens } from '@varve/core';
import type { CacheRatios } from './cost-model.ts';
import { toMilliseconds } from './duration.ts';

/** What a provider's prompt cache costs, and how it works. */
export interface CachePrices extends CacheRatios {
  /** How long a prompt is kept after it was last used. */
  readonly ttlMs: Milliseconds;
  /** Shorter prompts are not kept. */
  readonly minTokens: Tokens;
  /**
   * The cache finds the longest prefix that it knows. Otherwise it looks near the marks of a request, at the end of the
   * system prompt and of the conversation, and a change further back loses all that lies between them.
   */
  readonly findsAnyPrefix: boolean;
}

/** A provider's cache in words, or its prices in numbers. */
export type PriceProfile =
  | 'anthropic-5m'
  | 'anthropic-1h'
  | 'openai'
  | 'none'
  | {
      readonly read: number;
      readonly write: number;
      readonly ttl: string | number;
      readonly minTokens?: Tokens | undefined;
    };

/** https://platform.claude.com/docs/en/build-with-claude/prompt-caching: prices, lives, and the shortest prompt. */
const anthropic = { read: 0.1, minTokens: 1_024, findsAnyPrefix: false };

const profiles: Readonly<Record<Extract<PriceProfile, string>, CachePrices>> = {
  'anthropic-5m': { ...anthropic, write: 1.25, ttlMs: toMilliseconds('5m') },
  'anthropic-1h': { ...anthropic, write: 2, ttlMs: toMilliseconds('1h') },
  // https://platform.openai.com/docs/guides/prompt-caching: prompts of 1,024 tokens are kept for five to ten minutes.
  // Taken are ten, because a cache that was taken for gone and is not costs more than one that was waited for in vain.
  // A read is a tenth of the input for GPT-5 and later, a quarter for GPT-4.1, half for GPT-4o.
  openai: { read: 0.1, write: 1, ttlMs: toMilliseconds('10m'), minTokens: 1_024, findsAnyPrefix: true },
  none: { read: 1, write: 1, ttlMs: 0, minTokens: 0, findsAnyPrefix: true },
};

/** The prices that a profile stands for. */
export function pricesOf(profile: PriceProfile): CachePrices {
  if (typeof profile === 'string') return profiles[profile];
  const { read, write, ttl, minTokens = 0 } = profile;
  // Who sets marks pays for them; what is kept by itself costs no more than what is not kept.
  return { read, write, ttlMs: toMilliseconds(ttl), minTokens, findsAnyPrefix: write <= 1 };
}
