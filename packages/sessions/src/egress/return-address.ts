import type { Inbound, Session, SessionView } from '@varve/core';
import type { ReturnAddress } from './outgoing.ts';

/** The kind of record that holds where a conversation was last written to from. */
const kind = 'address';

/** Where the answer to a message goes. */
export function addressOf(inbound: Inbound): ReturnAddress {
  const { channel, account, peer, thread } = inbound;
  return { channel, account: account ?? null, peer, threadId: thread?.id ?? null };
}

/** True for two addresses of one place. */
export function isSameAddress(one: ReturnAddress, other: ReturnAddress): boolean {
  return (
    one.channel === other.channel &&
    one.account === other.account &&
    one.peer === other.peer &&
    one.threadId === other.threadId
  );
}

/** Where the conversation was last written to from, for what it says unasked; `null` where nobody wrote. */
export function lastAddressOf(view: SessionView): ReturnAddress | null {
  const { channel, account, peer, threadId } = (view.lastRecord(kind) ?? {}) as Partial<ReturnAddress>;
  if (typeof channel !== 'string' || typeof peer !== 'string') return null;
  return { channel, account: account ?? null, peer, threadId: threadId ?? null };
}

/** Remembers where the conversation is written to from, across restarts. Stores nothing where that is known. */
export async function rememberAddress(session: Session, address: ReturnAddress): Promise<void> {
  const known = lastAddressOf(session.view);
  if (known !== null && isSameAddress(known, address)) return;
  await session.record(`host:${kind}`, { ...address });
}
