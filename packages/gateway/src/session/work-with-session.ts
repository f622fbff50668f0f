import { type Host, type Session, type SessionRecord, VarveError } from '@varve/core';
import type { Sessions } from '@varve/sessions';

/** What is known of a session that is to be worked with. */
type Named = Pick<SessionRecord, 'key' | 'sessionId'>;

/** Looks at a session as it is stored, by whichever process: takes no lock, and changes nothing. */
export async function lookAt<Result>(
  { host }: { readonly host: Pick<Host, 'open'> },
  { sessionId }: Pick<Named, 'sessionId'>,
  look: (session: Session) => Promise<Result>,
): Promise<Result> {
  await using session = await host.open(sessionId, { readOnly: true });
  return await look(session);
}

/**
 * Works with the current generation of a conversation, so that nothing else changes it meanwhile.
 *
 * @throws VARVE_SESSION_UNKNOWN  for a session that is not the current one; VARVE_STORE_LOCKED when another process has it.
 */
export async function workWith<Result>(
  { sessions }: { readonly sessions: Pick<Sessions, 'current' | 'use'> },
  { key, sessionId }: Named,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  if (key !== null && (await sessions.current(key))?.sessionId === sessionId) {
    return sessions.use(key, (session) => {
      if (session.sessionId !== sessionId) throw notCurrent();
      return work(session);
    });
  }
  throw notCurrent();
}

/** The key of a session. @throws VARVE_KEY_INVALID  for one without. */
export function keyOf({ key }: Pick<Named, 'key'>): string {
  if (key !== null) return key;
  throw new VarveError('VARVE_KEY_INVALID', 'That session has no key: it belongs to no conversation.', {
    fix: 'Only conversations with a key have generations.',
  });
}

function notCurrent(): VarveError {
  return new VarveError('VARVE_SESSION_UNKNOWN', 'That session is not the current one of its conversation.', {
    fix: 'Restore it first, or ask for the conversation by its key.',
  });
}
