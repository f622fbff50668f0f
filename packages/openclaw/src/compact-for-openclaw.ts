import type { CompactTrigger, ModelRef, Session } from '@varve/core';
import type { CompactCall, CompactResult } from './openclaw-api.ts';

/** Compacts the journal when OpenClaw asks for it, and says what came of it in OpenClaw's words. */
export async function compactForOpenClaw(session: Session, call: CompactCall, model: ModelRef): Promise<CompactResult> {
  const { customInstructions: instructions, abortSignal: signal, currentTokenCount } = call;
  const outcome = await session.compact(triggerOf(call), { model, instructions, signal });
  const { status, why, entry, tokensAfter } = outcome;
  const tokensBefore = currentTokenCount ?? outcome.tokensBefore;
  const reason = `${status.replaceAll('-', '_')}: ${why}`;
  if (status !== 'compacted') {
    return { ok: status !== 'failed' && status !== 'aborted', compacted: false, reason, result: { tokensBefore } };
  }
  const summary = await summaryOf(session, model);
  const details = { by: 'varve', sessionId: session.sessionId, seq: entry?.seq ?? null };
  return { ok: true, compacted: true, reason, result: { summary, tokensBefore, tokensAfter, details } };
}

/** No counter is off by more. */
const leastShare = 0.5;

/**
 * The window that a compaction is made for. Where the model has seen more tokens than it may, ours count too little:
 * the window is taken to be as much smaller.
 */
export function windowForCompaction({ tokenBudget, currentTokenCount }: CompactCall): number | undefined {
  if (tokenBudget === undefined || !(tokenBudget > 0)) return undefined;
  const isOver = currentTokenCount !== undefined && currentTokenCount > tokenBudget;
  return isOver ? Math.floor(tokenBudget * Math.max(leastShare, tokenBudget / currentTokenCount)) : tokenBudget;
}

function triggerOf({ force, currentTokenCount }: CompactCall): CompactTrigger {
  if (force !== true) return 'threshold';
  return currentTokenCount === undefined ? 'manual' : 'overflow';
}

/** The summary that stands before the conversation in prompts. */
async function summaryOf(session: Session, model: ModelRef): Promise<string> {
  const { messages, manifest } = await session.assemble({ model, dryRun: true });
  const count = manifest.layers.filter(({ place }) => place === 'summary').length;
  return messages
    .slice(0, count)
    .map(({ content }) => (typeof content === 'string' ? content : ''))
    .join('\n\n');
}
