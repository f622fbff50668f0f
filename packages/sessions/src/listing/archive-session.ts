import { type Host, type SessionRecord, VarveError } from '@varve/core';
import { archiveGeneration } from '../generation/archive-generation.ts';
import type { LiveSessions } from '../live/live-sessions.ts';

/** What sessions are archived with. */
export interface ArchiveParts {
  readonly host: Host;
  readonly live: LiveSessions;
}

/** Under which conditions a session is archived. */
export interface ArchiveConditions {
  /** Why it is archived, for the event. */
  readonly reason: string;
  /** Asked once more when nobody else works with the session, with its record as it is then: why not, else `null`. */
  refuse(record: SessionRecord): Promise<string | null>;
}

/**
 * Archives a session when nobody works with it, in this process or another: it is not listed among the open ones any
 * more, no message reaches it, and its journal stays readable. Gives the reason why it was left as it is, else `null`.
 *
 * @throws VARVE_STORE_IO, VARVE_STORE_CONFLICT
 */
export async function archiveSession(
  { host, live }: ArchiveParts,
  { sessionId, key }: Pick<SessionRecord, 'sessionId' | 'key'>,
  { refuse, reason }: ArchiveConditions,
): Promise<string | null> {
  const archive = async (): Promise<string | null> => {
    const now = await currentRecord(host, sessionId);
    if (now === null) return 'there is no such session any more';
    const { record, hasJournal } = now;
    const put = (): Promise<string | null> => archiveGeneration({ host }, record, { reason, refuse });
    return hasJournal && record.state === 'open' ? whileLocked(host, sessionId, put) : put();
  };
  if (key === null) return archive();
  return live.change(key, async ({ sleep }) => {
    if (live.awake(key)?.sessionId === sessionId) await sleep();
    return archive();
  });
}

/** The record as the journal says it is: what another process has open is stored only now and then. */
async function currentRecord(
  host: Host,
  sessionId: string,
): Promise<{ readonly record: SessionRecord; readonly hasJournal: boolean } | null> {
  try {
    await using session = await host.open(sessionId, { readOnly: true });
    return { record: session.info(), hasJournal: true };
  } catch (error) {
    if (!VarveError.is(error, 'VARVE_STORE_MISSING')) throw error;
    const record = await host.sessions.get(sessionId);
    return record === null ? null : { record, hasJournal: false };
  }
}

/** Works while no other process can write to the session. Gives a reason where one does. */
async function whileLocked(host: Host, sessionId: string, work: () => Promise<string | null>): Promise<string | null> {
  try {
    await using _session = await host.open(sessionId);
    return await work();
  } catch (error) {
    if (VarveError.is(error, 'VARVE_STORE_LOCKED')) return `somebody works with it: ${error.message}`;
    throw error;
  }
}
