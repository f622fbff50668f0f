import { type MessageEntry, type Milliseconds, partsOfMessage, type Tokens } from '@varve/core';
import { type CacheTtl, type CacheUse, createPromptCache, lookbackBlocks, type PrefixPoint } from './prompt-cache.ts';

/** A request that sends everything. */
export type WholeRequest = CacheUse & { readonly tokens: Tokens };

/** What the same conversation costs when every request sends all of it: the measure that a replay is held against. */
export interface WholeHistory {
  add(entry: MessageEntry): void;
  /**
   * What the next model call would send, and what it would cost.
   *
   * @param call.madeUpTokens  What core had to add for the prompt to be valid: sending everything needs it too.
   */
  request(modelName: string, call: { readonly now: Milliseconds; readonly madeUpTokens: Tokens }): WholeRequest;
}

/**
 * Sends everything, through a prompt cache of its own. The history only grows, so a place in it is named by its number,
 * and only the places that a lookup can reach are kept.
 */
export function createWholeHistory({
  systemTokens,
  ttl,
}: {
  readonly systemTokens: Tokens;
  readonly ttl: CacheTtl;
}): WholeHistory {
  const cache = createPromptCache({ ttl });
  /** System messages of the conversation, which stand in front of all others: another one makes another prompt. */
  const system = { tokens: systemTokens, messages: 0 };
  let reachable: { readonly index: number; readonly tokens: Tokens; readonly blocks: number }[] = [];
  let end = { index: 0, tokens: 0, blocks: 0 };
  let madeUp = 0;
  return {
    add: ({ message, tokens }) => {
      const parts = partsOfMessage(message).length;
      if (parts === 0) return;
      if (message.role === 'system') {
        system.tokens += tokens.n;
        system.messages += 1;
        return;
      }
      end = { index: end.index + 1, tokens: end.tokens + tokens.n, blocks: end.blocks + parts };
      reachable = [...reachable.filter(({ blocks }) => blocks >= end.blocks - lookbackBlocks), end];
    },
    request: (modelName, { now, madeUpTokens }) => {
      if (madeUpTokens > madeUp) {
        // It stays where it was put: only what is new of it comes to the end.
        end = { ...end, tokens: end.tokens + madeUpTokens - madeUp };
        reachable = [...reachable.slice(0, -1), ...(reachable.length > 0 ? [end] : [])];
        madeUp = madeUpTokens;
      }
      const pointAt = ({ index, tokens, blocks }: typeof end): PrefixPoint => ({
        key: `${index}/${system.messages}/${modelName}`,
        tokens: system.tokens + tokens,
        blocks: system.messages + blocks + 1,
      });
      const first = pointAt({ index: 0, tokens: 0, blocks: 0 });
      const points = [first, ...reachable.map(pointAt)];
      const marks = [...(first.tokens > 0 ? [0] : []), ...(reachable.length > 0 ? [points.length - 1] : [])];
      const tokens = system.tokens + end.tokens;
      return { ...cache.request({ points, marks, tokens }, now), tokens };
    },
  };
}
