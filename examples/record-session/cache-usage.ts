/** Tokens of one call as Anthropic reports them: `input` was neither read from the cache nor written to it. */
export interface CallUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** What stands in front of every conversation of the recording. */
const systemAndToolTokens = 12_000;

/** How long the provider keeps a prefix that nobody asks for. */
const cacheLifeMs = 5 * 60_000;

/** Tokens behind the last cache mark. */
const uncachedTokens = 3;

/** What a provider's cache would have reported: each call reads what the one before wrote, unless that was too long ago. */
export interface CacheSimulation {
  /** A message is now part of every later prompt. */
  add(tokens: number): void;
  /** A call was made at `at`, and answered with `output` tokens. */
  call(output: number, at: number): CallUsage;
}

/** Makes a cache that is empty. */
export function createCacheSimulation(): CacheSimulation {
  let prompt = systemAndToolTokens;
  let cached = 0;
  let usedAt = 0;
  return {
    add: (tokens) => {
      prompt += tokens;
    },
    call: (output, at) => {
      const cacheRead = at - usedAt < cacheLifeMs ? cached : 0;
      const input = uncachedTokens;
      const cacheWrite = prompt - input - cacheRead;
      cached = prompt - input;
      usedAt = at;
      return { input, output, cacheRead, cacheWrite };
    },
  };
}
