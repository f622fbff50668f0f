import {
  type AssistantMessage,
  estimateTokens,
  type Message,
  type ModelPort,
  textsOfMessage,
  type Usage,
} from '@varve/core';
import type { ManualClock } from '@varve/testkit';
import type { ModelApi } from './model-apis.ts';

/** What the calls of models cost. Tokens as the server counts them. */
export interface ModelBill {
  /** Calls that were answered. */
  readonly calls: number;
  /** Input, what came from the cache included. */
  readonly tokensIn: number;
  readonly cacheReads: number;
  /** In tokens of fresh input. */
  readonly cost: number;
}

/** A bill that grows. */
export interface RunningBill {
  readonly total: () => ModelBill;
  /** The port, with its calls on the bill. `onReply` is told of each answer. */
  bill(port: ModelPort, onReply?: (message: AssistantMessage) => void): ModelPort;
}

/** Begins a bill. */
export function beginBill({ cache }: ModelApi): RunningBill {
  let total: ModelBill = { calls: 0, tokensIn: 0, cacheReads: 0, cost: 0 };
  return {
    total: () => total,
    bill: (port, onReply) => ({
      ref: port.ref,
      generate: async (request, options) => {
        const reply = await port.generate(request, options);
        total = withUsage(total, reply.usage, cache);
        onReply?.(reply.message);
        return reply;
      },
    }),
  };
}

function withUsage(bill: ModelBill, usage: Usage | null, cache: ModelApi['cache']): ModelBill {
  const { inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage ?? {};
  return {
    calls: bill.calls + 1,
    tokensIn: bill.tokensIn + inputTokens + cacheReadTokens + cacheWriteTokens,
    cacheReads: bill.cacheReads + cacheReadTokens,
    cost: bill.cost + inputTokens + cache.read * cacheReadTokens + cache.write * cacheWriteTokens,
  };
}

/** What a window without a limit would have cost: every message in every prompt, and a cache that finds all of the last. */
export interface WholeBill {
  readonly total: () => ModelBill;
  /** A message is in all later prompts. */
  add(message: Message): void;
  /** The model is asked. */
  ask(): void;
}

/** Tokens around a message. */
const frame = 4;

/** Begins the bill of a session that is never shortened. @param factor  as the server counts */
export function beginWholeBill(
  { cache }: ModelApi,
  options: { readonly clock: ManualClock; readonly factor: number },
): WholeBill {
  const { clock, factor } = options;
  let total: ModelBill = { calls: 0, tokensIn: 0, cacheReads: 0, cost: 0 };
  let size = 0;
  let last = { size: 0, at: Number.NEGATIVE_INFINITY };
  return {
    total: () => total,
    add: (message) => {
      const tokens = textsOfMessage(message).reduce((sum, text) => sum + estimateTokens(text), frame);
      size += tokens * factor;
    },
    ask: () => {
      const kept = clock.now() - last.at <= cache.lifeMs ? last.size : 0;
      const usage = { outputTokens: 0, cacheReadTokens: kept };
      const fresh =
        cache.write === 1 ? { inputTokens: size - kept } : { inputTokens: 0, cacheWriteTokens: size - kept };
      total = withUsage(total, { ...usage, ...fresh }, cache);
      last = { size, at: clock.now() };
    },
  };
}
