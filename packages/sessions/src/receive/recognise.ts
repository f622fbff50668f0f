import type { Session } from '@varve/core';
import { keysOfSession, messageOfKey } from '@varve/core/host';
import { keyThatBegan } from './begun-by.ts';
import { isHandled } from './handled-commands.ts';
import type { Taking } from './incoming.ts';
import type { Taken } from './taken.ts';

/** What a conversation knows of a message by the key that it is stored under. */
export type Recognised =
  /** It was taken before, and this is what became of it. */
  | { readonly kind: 'taken'; readonly taken: Taken }
  /** This generation was begun for it, and what should have followed may not have. */
  | { readonly kind: 'begun' }
  | { readonly kind: 'new' };

/** Finds out whether a message was delivered before, to this generation or to one of those before. Changes nothing. */
export async function recognise(session: Session, { parts, incoming }: Taking): Promise<Recognised> {
  const { key } = incoming;
  const { sessionId, view } = session;
  const base = { sessionId, reset: null };
  const known = await messageOfKey(session, key);
  if (known !== null) {
    return { kind: 'taken', taken: { ...base, kind: 'message', seq: known.seq, isKnown: true, isBegun: false } };
  }
  const duplicate = { ...base, kind: 'duplicate' } as const;
  // One that was rewound was said all the same: a channel that delivers it again does not mean to say it again.
  if (isHandled(view, key) || incoming.isUnderWay() || keysOfSession(session).includes(key))
    return { kind: 'taken', taken: duplicate };
  if (keyThatBegan(view) === key) return { kind: 'begun' };
  const earlier = await parts.earlier.knowing(session.info(), key);
  return earlier === null ? { kind: 'new' } : { kind: 'taken', taken: { ...duplicate, sessionId: earlier } };
}
