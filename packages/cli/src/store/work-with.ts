import type { Session, SessionRecord } from '@varve/core';
import { VarveError } from '@varve/core';
import type { OpenedSessions } from './open-sessions.ts';

/**
 * Works with one session, which is opened for writing: with the conversation where it is its current generation, so that
 * nothing else changes it meanwhile, and with the session itself otherwise.
 *
 * @throws VARVE_STORE_LOCKED  when another process writes to it; the message says which one.
 */
export async function workWith<Result>(
  { host, sessions }: OpenedSessions,
  { key, sessionId }: Pick<SessionRecord, 'key' | 'sessionId'>,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  if (key !== null && (await sessions.current(key))?.sessionId === sessionId) return sessions.use(key, work);
  // Without a journal, opening would begin one.
  await (await host.open(sessionId, { readOnly: true })).close();
  await using session = await host.open(sessionId);
  return await work(session);
}

/** The key of a session that has to have one. @throws VARVE_KEY_INVALID */
export function keyOf({ key, sessionId }: Pick<SessionRecord, 'key' | 'sessionId'>, doing: string): string {
  if (key !== null) return key;
  throw new VarveError('VARVE_KEY_INVALID', `Session "${sessionId}" has no key: it cannot be ${doing}.`, {
    fix: 'Only conversations with a key have generations; use varve sessions fork for a copy.',
  });
}
