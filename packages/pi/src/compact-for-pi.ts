import type { CompactTrigger, Session } from '@varve/core';
import type { ModelRequest } from './host-request.ts';
import type { PiEntry } from './pi-api.ts';

/** What pi says before it compacts. */
export interface PiCompactEvent {
  readonly preparation: { readonly firstKeptEntryId: string; readonly tokensBefore: number };
  readonly branchEntries?: readonly PiEntry[] | undefined;
  readonly customInstructions?: string | undefined;
  /** Versions before 1.0 do not say why. */
  readonly reason?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What becomes of a compaction of pi: another one in its place, none, or what pi does itself. */
export type PiCompactResult =
  | { readonly cancel: true }
  | {
      readonly compaction: {
        readonly summary: string;
        readonly firstKeptEntryId: string;
        readonly tokensBefore: number;
        readonly details: object;
      };
    }
  | undefined;

/**
 * Compacts the journal where pi wants to compact its session, and gives pi the summary that prompts have from then on.
 * Where prompts are small enough as they are, pi is told to leave it.
 */
export async function compactForPi(
  session: Session,
  event: PiCompactEvent,
  request: ModelRequest,
): Promise<PiCompactResult> {
  const { preparation, customInstructions: instructions, signal } = event;
  const trigger = triggerOf(event);
  const { status, entry, tokensBefore, tokensAfter } = await session.compact(trigger, {
    ...request,
    instructions,
    signal,
  });
  if (status === 'aborted' || status === 'below-threshold') return { cancel: true };
  const summary = await summaryOf(session, request);
  if (summary === null) return trigger === 'overflow' ? undefined : { cancel: true };
  const details = { by: 'varve', sessionId: session.sessionId, seq: entry?.seq ?? null, tokensBefore, tokensAfter };
  const { firstKeptEntryId } = preparation;
  return { compaction: { summary, firstKeptEntryId, tokensBefore: preparation.tokensBefore, details } };
}

function triggerOf({ reason, branchEntries = [] }: PiCompactEvent): CompactTrigger {
  if (reason === 'threshold' || reason === 'overflow' || reason === 'manual') return reason;
  const last = branchEntries.findLast(({ type }) => type === 'message')?.message;
  return last?.['stopReason'] === 'error' ? 'overflow' : 'manual';
}

/** The summary that stands before the conversation in prompts; `null` for none. */
async function summaryOf(session: Session, request: ModelRequest): Promise<string | null> {
  const { messages, manifest } = await session.assemble({ ...request, dryRun: true });
  const count = manifest.layers.filter(({ place }) => place === 'summary').length;
  const texts = messages.slice(0, count).map(({ content }) => (typeof content === 'string' ? content : ''));
  return texts.length === 0 ? null : texts.join('\n\n');
}
