import type { MessageEntry } from '../../journal/entry.ts';
import type { Session } from '../session.ts';
import { runtimeOfSession } from './runtime-of-session.ts';

/**
 * The message that was ingested under a key; `null` for a key that the session does not know, which is one that an ingest
 * would append. For `@varve/sessions` and gateways.
 *
 * @throws VARVE_OPTION_INVALID  for something that is no session; what the store throws.
 */
export async function messageOfKey(session: Session, key: string): Promise<MessageEntry | null> {
  const { journal } = runtimeOfSession(session);
  const seq = journal.seqOfKey(key);
  if (seq === undefined) return null;
  const [entry] = await journal.journal.get([seq]);
  return entry?.type === 'message' ? entry : null;
}
