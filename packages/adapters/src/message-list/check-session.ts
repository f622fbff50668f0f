import { VarveError } from '@varve/core';

/**
 * Checks what should follow a conversation, before anything is done for it: a session, or a function that finds one.
 *
 * @throws VARVE_OPTION_INVALID  for anything else.
 */
export function checkSession(session: unknown): void {
  const isSession = typeof session === 'object' && session !== null && 'assemble' in session && 'ingest' in session;
  if (isSession || typeof session === 'function') return;
  throw new VarveError('VARVE_OPTION_INVALID', 'There is no session that could follow the conversation.', {
    fix: 'Give { session } as host.open gives it, or a function that gives one.',
    details: { path: 'session' },
  });
}
