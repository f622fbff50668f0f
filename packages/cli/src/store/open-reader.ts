import type { OpenedConfig } from '../config/open-config.ts';
import { openJournal, type ReadSession } from './open-journal.ts';
import { openSessions } from './open-sessions.ts';
import { resolveSession } from './resolve-session.ts';

/**
 * Opens the session that somebody names, for reading: nothing is locked, and what is no entry is left out.
 *
 * @throws VARVE_STORE_MISSING
 */
export async function openReader(place: OpenedConfig, name: string): Promise<ReadSession> {
  return openJournal(place.root, await sessionIdOf(place, name));
}

/** The id of the session that somebody names. @throws VARVE_STORE_MISSING */
export async function sessionIdOf(place: OpenedConfig, name: string): Promise<string> {
  await using opened = await openSessions(place);
  const { sessionId } = await resolveSession(opened, name);
  return sessionId;
}
