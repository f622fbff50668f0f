import { createHash } from 'node:crypto';
import type { JudgedMessage, JudgedPrompt } from './judged-prompt.ts';

/** How a provider keeps prompts, and what that costs against a token that is sent plainly. */
export interface CacheRules {
  readonly lifeMs: number;
  readonly writePrice: number;
  readonly readPrice: number;
}

/** The two lives that Anthropic sells. */
export const cacheRules = {
  '5m': { lifeMs: 300_000, writePrice: 1.25, readPrice: 0.1 },
  '1h': { lifeMs: 3_600_000, writePrice: 2, readPrice: 0.1 },
} satisfies Readonly<Record<string, CacheRules>>;

/** Which of them. */
export type CacheLife = keyof typeof cacheRules;

/** What one request cost, in tokens. */
export interface CacheUse {
  readonly read: number;
  readonly written: number;
  readonly plain: number;
  /** In tokens at the base price of input. */
  readonly cost: number;
}

/** What many requests cost together. */
export interface CacheTotals {
  readonly requests: number;
  readonly tokens: number;
  readonly cost: number;
  /** Share of all tokens that were read from the cache. */
  readonly hitRate: number;
}

/** A provider's cache, as far as one conversation sees it. */
export interface PromptCache {
  request(prompt: JudgedPrompt, now: number): CacheUse;
  totals(): CacheTotals;
}

/** System prompt and tools that stand in front of every request of every strategy. */
export const frontTokens = 12_000;
/** Shorter prefixes are not kept. */
const leastTokens = 1_024;
/** A lookup looks at this many blocks before each mark. */
const lookback = 20;
const mostMarks = 4;

interface Place {
  readonly key: string;
  readonly tokens: number;
}

/**
 * M5. One block a message, behind a block of {@link frontTokens}. Entries exist only at the marks: behind the front,
 * behind the system messages, and behind the last stable message. A lookup tries each mark and the 20 blocks before it;
 * what is found is refreshed. What stands behind the last mark is paid plainly.
 */
export function createPromptCache({ lifeMs, writePrice, readPrice }: CacheRules): PromptCache {
  const usedAt = new Map<string, number>();
  const totals = { requests: 0, tokens: 0, cost: 0, read: 0 };
  return {
    request: (prompt, now) => {
      const places = placesOf(prompt.messages);
      const marks = marksOf(prompt);
      const hit = lookUp(places, marks, (key) => now - (usedAt.get(key) ?? Number.NEGATIVE_INFINITY) <= lifeMs);
      const read = hit === null ? 0 : hit.tokens;
      const end = places[marks.at(-1) ?? 0] as Place;
      const written = end.tokens > read && end.tokens >= leastTokens ? end.tokens - read : 0;
      const all = (places.at(-1) as Place).tokens;
      const plain = all - read - written;
      if (hit !== null) usedAt.set(hit.key, now);
      for (const mark of marks) {
        const place = places[mark] as Place;
        if (place.tokens >= leastTokens) usedAt.set(place.key, now);
      }
      const cost = read * readPrice + written * writePrice + plain;
      totals.requests += 1;
      totals.tokens += all;
      totals.cost += cost;
      totals.read += read;
      return { read, written, plain, cost };
    },
    totals: () => {
      const { requests, tokens, cost, read } = totals;
      return { requests, tokens, cost, hitRate: tokens === 0 ? 0 : read / tokens };
    },
  };
}

/** The end of each block, named by all that stands before it. */
function placesOf(messages: readonly JudgedMessage[]): readonly Place[] {
  let key = 'front';
  let tokens = frontTokens;
  const places: Place[] = [{ key, tokens }];
  for (const message of messages) {
    key = createHash('md5').update(`${key}\u0000${message.role}\u0000${message.body}`).digest('base64');
    tokens += message.tokens;
    places.push({ key, tokens });
  }
  return places;
}

function marksOf({ messages, stable }: JudgedPrompt): readonly number[] {
  const system = messages.findIndex(({ role }) => role !== 'system');
  const marks = new Set([0, system < 0 ? messages.length : system, Math.min(stable, messages.length)]);
  return [...marks].sort((left, right) => left - right).slice(-mostMarks);
}

function lookUp(places: readonly Place[], marks: readonly number[], isKept: (key: string) => boolean): Place | null {
  for (const mark of marks.toReversed()) {
    for (let index = mark; index >= Math.max(0, mark - lookback); index -= 1) {
      const place = places[index] as Place;
      if (isKept(place.key)) return place;
    }
  }
  return null;
}
