import type { ModelRef } from './model-ref.ts';
import type { ImageFormula } from './tokens/image-formula.ts';
import type { Milliseconds, Tokens } from './units.ts';

/** Prices of a model in US dollars for a million tokens. */
export interface ModelPrices {
  readonly input: number;
  readonly output: number;
  /** For prompt tokens that were read from a cache. @default no cache, or no price known */
  readonly cacheRead?: number | undefined;
  /** For prompt tokens that were written to a cache with the model's usual life. @default as `input` */
  readonly cacheWrite?: number | undefined;
  /** Prices of the whole request when its prompt is longer than this. @default one price for all lengths */
  readonly longPrompt?:
    | (Omit<ModelPrices, 'longPrompt'> & {
        /** A prompt of more tokens costs these prices. */
        readonly aboveTokens: Tokens;
      })
    | undefined;
}

/** What is known of one model of one provider. */
export interface ModelFacts {
  /** The model's context window. */
  readonly contextTokens: Tokens;
  /** Most that a prompt may take, where that is less than the window. @default the window */
  readonly maxInputTokens?: Tokens | undefined;
  /** Longest answer. @default not known */
  readonly maxOutputTokens?: Tokens | undefined;
  readonly pricesPerMillion?: ModelPrices | undefined;
  /** How long a provider keeps a prompt in its cache after it was last used. @default not known */
  readonly cache?:
    | {
        readonly ttlMs: Milliseconds;
        /** A longer life that can be asked for. */
        readonly longTtlMs?: Milliseconds | undefined;
      }
    | undefined;
  /** What an image costs. @default the counter's own formula */
  readonly imageTokens?: ImageFormula | undefined;
  /** Most bytes of a request. @default not known */
  readonly requestBytes?: number | undefined;
  /** Where this is known from: an address, or `configuration`. */
  readonly source: string;
  /** Day on which the source said so, as `2026-11-30`. */
  readonly asOf?: string | undefined;
}

/**
 * Knows models. `modelRegistry()` of `@varve/adapters/model-registry` is one; a host may write its own.
 *
 * *Contract:* `describe` is pure, fast and never throws; of a model that it does not know it says nothing, not something
 * that is likely.
 */
export interface ModelRegistry {
  describe(model: ModelRef): ModelFacts | undefined;
}
