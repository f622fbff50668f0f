import type { Session } from '@varve/core';
import { askReset, workOfSession } from '@varve/core/host';
import type { Incoming } from './incoming.ts';

/** Why a conversation ends before a message. */
export interface Due {
  readonly kind: 'due';
  /** A word for programs: `daily`, `idle`. */
  readonly reason: string;
  /** The same for people. */
  readonly text: string;
}

/**
 * Asks the policies whether the conversation ends before a message that it does not know; `null` when it goes on. One in
 * which something goes on, or in which nothing has been said, does not end. Changes nothing.
 */
export async function whyDue(session: Session, incoming: Incoming): Promise<Due | null> {
  const { inbound, signal } = incoming;
  const isIdle = !incoming.isBusy() && workOfSession(session).turnId === null;
  if (!isIdle || session.info().counters.messages === 0) return null;
  const answer = await askReset(session, { inbound, signal });
  return answer === null ? null : { kind: 'due', reason: answer.reason, text: answer.text ?? answer.reason };
}
