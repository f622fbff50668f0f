import type { Tokens } from '@varve/core';

/** Prices of a token that is read from a cache and of one that is written, beside one that no cache has to do with. */
export interface CacheRatios {
  readonly read: number;
  readonly write: number;
}

/** How a conversation goes on, for {@link batchTokens}. */
export interface SteadyUse {
  /** Tokens that a cache holds and that pruning has written anew. */
  readonly tail: Tokens;
  /** Tokens that each call adds to what could be pruned. */
  readonly growth: Tokens;
  /** Share of the calls that come when the cache has gone cold, from 0 to 1. */
  readonly coldShare: number;
}

/** A set of prunes that are made together. */
export interface Batch {
  /** Tokens that it takes out of every later prompt. */
  readonly saved: Tokens;
  /** The same, each token as often as calls have carried it since it could have been pruned. */
  readonly carried: Tokens;
  /** Tokens that a cache holds and that pruning has written anew. */
  readonly tail: Tokens;
}

/** `a`: what a token costs with each call that carries it along. A warm cache reads it, a cold one writes it. */
function carryPrice({ read, write }: CacheRatios, coldShare: number): number {
  return read * (1 - coldShare) + write * coldShare;
}

/** `b`: what it costs more to have a token written anew. When the cache is cold it would be written in any case. */
function rewritePrice({ read, write }: CacheRatios, coldShare: number): number {
  return Math.max(0, write - read) * (1 - coldShare);
}

/**
 * The size of the batches in which mode `auto` prunes a steady conversation whose cache stays warm: `√(2·b·P·g/a)` tokens
 * with `a = r(1−λ) + wλ` and `b = (w−r)(1−λ)`. While `M` tokens gather at `g` a call, carrying them along costs
 * `a·M²/(2·g)`; having the tail `P` written anew costs `b·P`. At this size both are the same. It is 77 thousand tokens
 * for a cache of five minutes that is always warm, a tail of 40 thousand and 6,400 tokens a call.
 *
 * @param use  `P`, `g` and λ.
 * @returns Tokens; 0 where rewriting costs nothing, `Infinity` where carrying does not.
 */
export function batchTokens(prices: CacheRatios, { tail, growth, coldShare }: SteadyUse): Tokens {
  const price = 2 * rewritePrice(prices, coldShare) * tail * growth;
  return price === 0 ? 0 : Math.sqrt(price / carryPrice(prices, coldShare));
}

/**
 * What a batch is worth while the cache is warm, in input-token equivalents: what it has cost to carry it along, less
 * what it costs to have the tail written anew. How long a conversation goes on is not known; who prunes when this is 0
 * pays at most twice what knowing it would have cost. `-Infinity` when a cold call, at which pruning costs nothing, is
 * likely to come before the batch has paid for itself.
 */
export function worthOfBatch(
  prices: CacheRatios,
  { batch, coldShare }: { readonly batch: Batch; readonly coldShare: number },
): number {
  const { saved, carried, tail } = batch;
  const callsToRepay = (rewritePrice(prices, 0) * tail) / (prices.read * saved);
  if (callsToRepay * coldShare >= 1) return -Infinity;
  return carryPrice(prices, coldShare) * carried - rewritePrice(prices, coldShare) * tail;
}
