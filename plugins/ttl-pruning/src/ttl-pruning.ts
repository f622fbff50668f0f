import {
  type Draft,
  definePlugin,
  type HookContext,
  type MessageEntry,
  nameOfModel,
  type PluginFactory,
  type SessionView,
} from '@varve/core';
import { coldShareOf } from './cold-share.ts';
import { toMilliseconds } from './duration.ts';
import { type CachePrices, pricesOf } from './price-profile.ts';
import { prune } from './prune.ts';
import { type PruneReason, pruneByCost } from './prune-by-cost.ts';
import { toolFilter } from './tool-filter.ts';
import { optionsSchema, type ResolvedOptions, type TtlPruningOptions } from './ttl-pruning-options.ts';

/** What is done to a draft. */
type Shape = (draft: Draft, context: HookContext) => Draft | undefined;

/**
 * Prunes old tool results in prompts when that costs nothing or less than it saves: long ones keep head and tail, and
 * the oldest are cleared. What was pruned stays pruned, byte for byte.
 */
export const ttlPruning: PluginFactory<TtlPruningOptions> = definePlugin<TtlPruningOptions, ResolvedOptions>({
  name: 'ttl-pruning',
  version: '0.1.0',
  apiVersion: '^1.0.0',
  options: optionsSchema,
  apply({ hooks }, options) {
    hooks.shape.tapPromise('prune tool results', options.mode === 'auto' ? byCost(options) : byIdleTime(options));
  },
});

/** Mode `cache-ttl`: when the cache has been idle for its life, and the conversation is large for its window. */
function byIdleTime({ ttl, tools, ...rules }: ResolvedOptions): Shape {
  const ttlMs = toMilliseconds(ttl);
  const isPrunable = toolFilter(tools);
  return (draft, { session, pressure, now }) => {
    // Over the hard limit the front of the prompt changes in any case, so the cache is lost whether it is warm or not.
    const isFull = pressure === 'hard' || pressure === 'overflow';
    const isCold = session.lastRequestAt !== null && now() - session.lastRequestAt > ttlMs;
    return isFull || isCold ? prune(draft, { ...rules, isPrunable, isFull }) : undefined;
  };
}

/** Mode `auto`: when it pays. */
function byCost({ tools, ignored, prices: profile, ...options }: ResolvedOptions): Shape {
  const prices = pricesOf(profile);
  const rules = { ...options, prices, isPrunable: toolFilter(tools) };
  return (draft, context) => {
    const { session } = context;
    if (ignored.length > 0 && session.lastRecord('ignored-options') === undefined)
      context.record('ignored-options', { mode: 'auto', options: ignored });
    const reason = reasonToPrune(draft, { context, prices });
    const coldShare = () => coldShareOf(session.messages(), prices.ttlMs);
    const pruned = pruneByCost(draft, { rules, reason, coldShare });
    if (pruned === undefined) return undefined;
    const [savedTokens, rewrittenTokens] = [Math.round(pruned.saved), Math.round(pruned.tail)];
    context.record('pruned', { reason, results: pruned.results, savedTokens, rewrittenTokens });
    return pruned.draft;
  };
}

function reasonToPrune(
  draft: Draft,
  { context, prices }: { readonly context: HookContext; readonly prices: CachePrices },
): PruneReason {
  const { session, pressure, model, now } = context;
  if (pressure === 'hard' || pressure === 'overflow') return 'full';
  const { lastRequestAt } = session;
  const isIdle = lastRequestAt === null || now() - lastRequestAt > prices.ttlMs;
  // A cache belongs to one model.
  const isOfOther = model !== null && session.model !== nameOfModel(model);
  const isShort = draft.tokens + draft.budget.reserved < prices.minTokens;
  return isIdle || isOfOther || isRebuilt(session) || isShort ? 'cold' : 'warm';
}

/**
 * True until the model has answered a prompt that shows the newest compaction: before, no cache has what it put at the
 * front. Told by the order of the journal, since a clock may be set back.
 */
function isRebuilt(session: SessionView): boolean {
  const compaction = session.compaction();
  if (compaction === null) return false;
  const isAnswer = ({ message, seq, promptSeq = seq }: MessageEntry): boolean =>
    message.role === 'assistant' && promptSeq >= compaction.seq;
  return session.messages().findLast(isAnswer) === undefined;
}
