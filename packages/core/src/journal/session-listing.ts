import type { SessionQuery, SessionRecord } from './session-record.ts';

/** Records in an answer when the query names no number. */
export const defaultSessions = 100;

/** Most records in one answer: who wants more asks for the next page. */
export const mostSessions = 1_000;

/** The page of records that a query asks for, as {@link SessionIndex.list} gives it. For stores. */
export function listSessions(records: Iterable<SessionRecord>, query: SessionQuery = {}): readonly SessionRecord[] {
  const { limit = defaultSessions, after } = query;
  const found = [...records].filter(
    (record) => matches(record, query) && (after === undefined || compareRecords(after, record) < 0),
  );
  return found.sort(compareRecords).slice(0, Math.max(0, Math.min(limit, mostSessions)));
}

type Place = Pick<SessionRecord, 'updatedAt' | 'sessionId'>;

/** Last updated first; ids by their code units, so that every machine lists alike. */
function compareRecords(a: Place, b: Place): number {
  if (a.updatedAt !== b.updatedAt) return b.updatedAt - a.updatedAt;
  if (a.sessionId === b.sessionId) return 0;
  return a.sessionId < b.sessionId ? -1 : 1;
}

function matches(record: SessionRecord, query: SessionQuery): boolean {
  const { agentId, key, channel, chatType, state, parentSessionKey, text } = query;
  if (agentId !== undefined && record.agentId !== agentId) return false;
  if (key !== undefined && record.key !== key) return false;
  if (channel !== undefined && record.channel !== channel) return false;
  if (chatType !== undefined && record.chatType !== chatType) return false;
  if (state !== undefined && record.state !== state) return false;
  if (parentSessionKey !== undefined && record.parentSessionKey !== parentSessionKey) return false;
  return text === undefined || holdsText(record, text);
}

function holdsText({ sessionId, key, label, displayName }: SessionRecord, text: string): boolean {
  const wanted = text.toLowerCase();
  return [sessionId, key, label, displayName].some((name) => name?.toLowerCase().includes(wanted) === true);
}
