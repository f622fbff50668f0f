import type { Milliseconds, Tokens } from '@varve/core';

/** How long a provider keeps what is marked. */
export type CacheTtl = '5m' | '1h';

/** A place in a prompt, between two blocks: what a cache may keep is everything before it. */
export interface PrefixPoint {
  /** The same for two prompts if, and only if, all before the point is the same. */
  readonly key: string;
  /** Tokens of all before it. */
  readonly tokens: Tokens;
  /** Number of content blocks before it. */
  readonly blocks: number;
}

/** A prompt as a cache sees it. */
export interface CachedRequest {
  /** Places in order. Those more than {@link lookbackBlocks} before a mark may be left out. */
  readonly points: readonly PrefixPoint[];
  /** Indexes of the points that carry a mark, in order: the end of the system prompt and of the stable part. */
  readonly marks: readonly number[];
  /** Tokens of the whole prompt. */
  readonly tokens: Tokens;
}

/** What one request reads from the cache, writes to it, and sends besides. Together they are its tokens. */
export interface CacheUse {
  readonly cacheRead: Tokens;
  readonly cacheWrite: Tokens;
  readonly uncached: Tokens;
  /** In input-token equivalents: what a token costs that no cache has to do with is 1. */
  readonly cost: number;
}

/** The prompt cache of a provider, simulated. */
export interface PromptCache {
  /** Makes a request at a time. Times never go back. */
  request(request: CachedRequest, now: Milliseconds): CacheUse;
}

/** Blocks that a lookup goes back from a mark. Anthropic, "Prompt caching": at most 20 before each breakpoint. */
export const lookbackBlocks = 20;

/** Shorter prefixes are not kept. Anthropic: 1,024 tokens for most models. */
const leastTokens = 1_024;

/** Prices beside an input token that is not cached, and lives. Anthropic: 1.25 for 5 minutes, 2 for 1 hour, 0.1 to read. */
const readPrice = 0.1;
const writePrices: Readonly<Record<CacheTtl, number>> = { '5m': 1.25, '1h': 2 };
const lives: Readonly<Record<CacheTtl, Milliseconds>> = { '5m': 300_000, '1h': 3_600_000 };

/**
 * Simulates Anthropic's prompt cache. Prefixes are kept at marks only; a lookup tries each mark, the last first, and up
 * to 20 blocks before it; what was hit lives on. What lies behind the last mark is never cached.
 */
export function createPromptCache({ ttl }: { readonly ttl: CacheTtl }): PromptCache {
  const usedAt = new Map<string, Milliseconds>();
  const touch = (key: string, now: Milliseconds): void => {
    // Deleted first, so that the map stays in the order of use and its front is what dies next.
    usedAt.delete(key);
    usedAt.set(key, now);
  };
  const forgetDead = (now: Milliseconds): void => {
    for (const [key, at] of usedAt) {
      if (now - at <= lives[ttl]) return;
      usedAt.delete(key);
    }
  };
  return {
    request: (request, now) => {
      forgetDead(now);
      const hit = findHit(request, (point) => usedAt.has(point.key));
      const end = request.points[request.marks.at(-1) ?? -1];
      const cacheRead = hit?.tokens ?? 0;
      const isWritten = end !== undefined && end.tokens > cacheRead && end.tokens >= leastTokens;
      const cacheWrite = isWritten ? end.tokens - cacheRead : 0;
      const uncached = request.tokens - cacheRead - cacheWrite;
      if (hit !== null) touch(hit.key, now);
      for (const mark of request.marks) {
        const point = request.points[mark];
        if (point !== undefined && point.tokens >= leastTokens) touch(point.key, now);
      }
      const cost = cacheRead * readPrice + cacheWrite * writePrices[ttl] + uncached;
      return { cacheRead, cacheWrite, uncached, cost };
    },
  };
}

/** The longest prefix that is kept and that a lookup finds. */
function findHit({ points, marks }: CachedRequest, isKept: (point: PrefixPoint) => boolean): PrefixPoint | null {
  for (const mark of marks.toReversed()) {
    const least = (points[mark]?.blocks ?? 0) - lookbackBlocks;
    for (let index = mark; index >= 0; index -= 1) {
      const point = points[index];
      if (point === undefined || point.blocks < least) break;
      if (isKept(point)) return point;
    }
  }
  return null;
}
