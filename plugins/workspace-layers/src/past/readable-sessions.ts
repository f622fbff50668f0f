import { mostSessions, type SessionQuery, type SessionRecord, type SessionView, type Store } from '@varve/core';
import { mayReadSession } from './may-read-session.ts';

/** Records that are looked through for one question. */
const mostRecords = 10_000;

/**
 * Other sessions whose words a session may see, last updated first.
 *
 * @throws  what the store throws when it cannot list its sessions.
 */
export async function readableSessions(
  reader: SessionView,
  options: { readonly store: Store; readonly owners: readonly string[] | null; readonly maxSessions: number },
): Promise<readonly SessionRecord[]> {
  const { store, owners, maxSessions } = options;
  const { agentId, key } = reader;
  const found = new Map<string, SessionRecord>();
  for (const query of [key === null ? null : { agentId, key }, { agentId, chatType: 'direct' } as const]) {
    if (query === null) continue;
    for (const record of await matching(store, {
      query,
      maxSessions,
      mayRead: (one) => mayReadSession(one, reader, owners),
    })) {
      found.set(record.sessionId, record);
    }
  }
  return [...found.values()].sort((a, b) => b.updatedAt - a.updatedAt).slice(0, maxSessions);
}

async function matching(
  store: Store,
  {
    query,
    maxSessions,
    mayRead,
  }: {
    readonly query: SessionQuery;
    readonly maxSessions: number;
    readonly mayRead: (record: SessionRecord) => boolean;
  },
): Promise<readonly SessionRecord[]> {
  const found: SessionRecord[] = [];
  let after: SessionQuery['after'];
  for (let read = 0; read < mostRecords && found.length < maxSessions; read += mostSessions) {
    const page = await store.sessions.list({ ...query, limit: mostSessions, after });
    found.push(...page.filter(mayRead));
    after = page.at(-1);
    if (page.length < mostSessions) break;
  }
  return found;
}
