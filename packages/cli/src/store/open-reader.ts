import { openJournal, type ReadSession } from './open-journal.ts';
import { openSessions } from './open-sessions.ts';
import { resolveSession } from './resolve-session.ts';

/**
 * Opens the session that somebody names, for reading: nothing is locked, and what is no entry is left out.
 *
 * @throws VARVE_STORE_MISSING
 */
export async function openReader(root: string, name: string): Promise<ReadSession> {
  return openJournal(root, await sessionIdOf(root, name));
}

async function sessionIdOf(root: string, name: string): Promise<string> {
  await using opened = await openSessions(root);
  const { sessionId } = await resolveSession(opened, name);
  return sessionId;
}
