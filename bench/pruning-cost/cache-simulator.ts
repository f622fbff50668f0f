import { createHash } from 'node:crypto';

/** What a cache costs, in prices of an input token, and how it keeps prompts. It knows nothing of the product. */
export interface CacheRules {
  readonly read: number;
  readonly write: number;
  /** How long a prefix is kept after it was last used; 0 for no cache. */
  readonly lifeMs: number;
  /**
   * `marks`: prefixes are kept at the marks of a request, and a lookup goes back at most 20 blocks from each.
   * `everywhere`: every prefix is kept, and the longest is found.
   */
  readonly keeps: 'marks' | 'everywhere';
}

/** A part of a request. */
export interface CacheBlock {
  /** The same for parts that say the same. */
  readonly id: string;
  readonly tokens: number;
}

/** What requests have read from the cache, written to it and sent besides, in tokens, and what that cost. */
export interface CacheSums {
  read: number;
  written: number;
  uncached: number;
  /** In input-token equivalents. */
  cost: number;
  requests: number;
}

/** Blocks that a lookup goes back from a mark, and the shortest prefix that is kept, in tokens. */
const lookback = 20;
const leastTokens = 1_024;

/** A provider's prompt cache. Marks stand behind the first block, the system prompt, and behind the last one. */
export class CacheSimulator {
  readonly sums: CacheSums = { read: 0, written: 0, uncached: 0, cost: 0, requests: 0 };
  readonly #rules: CacheRules;
  readonly #usedAt = new Map<string, number>();

  constructor(rules: CacheRules) {
    this.#rules = rules;
  }

  /** Makes a request at a time, in milliseconds. Times never go back. */
  request(blocks: readonly CacheBlock[], now: number): void {
    const { read, write, lifeMs, keeps } = this.#rules;
    const prefixes = prefixesOf(blocks);
    const last = prefixes.length - 1;
    const marks = keeps === 'marks' ? [last, 0] : [last];
    const back = keeps === 'marks' ? lookback : prefixes.length;
    const isKept = (index: number): boolean =>
      now - (this.#usedAt.get(prefixes[index]?.key ?? '') ?? -Infinity) <= lifeMs;
    const candidates = marks.flatMap((mark) => Array.from({ length: back + 1 }, (_, step) => mark - step));
    const hit = lifeMs === 0 ? undefined : candidates.find((index) => index >= 0 && isKept(index));
    const total = prefixes[last]?.tokens ?? 0;
    const readTokens = hit === undefined ? 0 : (prefixes[hit]?.tokens ?? 0);
    const written = lifeMs === 0 || total < leastTokens ? 0 : total - readTokens;
    const kept = keeps === 'marks' ? [...marks, hit ?? 0] : prefixes.keys();
    for (const index of kept) {
      const prefix = prefixes[index];
      if (prefix !== undefined && prefix.tokens >= leastTokens) this.#usedAt.set(prefix.key, now);
    }
    const uncached = total - readTokens - written;
    this.sums.read += readTokens;
    this.sums.written += written;
    this.sums.uncached += uncached;
    this.sums.cost += readTokens * read + written * write + uncached;
    this.sums.requests += 1;
  }
}

/** Everything up to each block, by a name that is the same for the same parts. */
function prefixesOf(blocks: readonly CacheBlock[]): readonly { readonly key: string; readonly tokens: number }[] {
  let key = '';
  let tokens = 0;
  return blocks.map((block) => {
    key = createHash('sha1').update(key).update('\0').update(block.id).digest('base64');
    tokens += block.tokens;
    return { key, tokens };
  });
}
