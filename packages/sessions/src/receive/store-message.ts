import type { Session } from '@varve/core';
import { provenanceOf } from '../egress/leaving-for.ts';
import { addressOf, rememberAddress } from '../egress/return-address.ts';
import type { Incoming } from './incoming.ts';
import type { Taken } from './taken.ts';

/**
 * Stores what a message says, which may be less than its text, and where answers go from now on.
 *
 * @throws VARVE_INGEST_REFUSED, VARVE_PLUGIN_FAILED, VARVE_ABORTED, and what the store throws.
 */
export async function storeMessage(
  session: Session,
  { inbound, key, signal }: Incoming,
  text: string,
): Promise<Extract<Taken, { kind: 'message' }>> {
  const content = withoutMark(text);
  const { seq } = await session.ingest({ role: 'user', content }, { key, signal, provenance: provenanceOf(inbound) });
  // The message is stored: what cannot be stored behind it is told by the next append.
  await rememberAddress(session, addressOf(inbound)).catch(() => undefined);
  return { sessionId: session.sessionId, reset: null, kind: 'message', seq, isKnown: false, isBegun: false };
}

/** Two slashes are for a message that begins with one. */
function withoutMark(text: string): string {
  return text.replace(/^(\s*)\/(?=\/[a-z])/i, '$1');
}
