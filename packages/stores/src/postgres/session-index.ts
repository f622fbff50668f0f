import { patchRecord, type SessionIndex, type SessionPatch, type SessionRecord } from '@varve/core';
import type { Answer, Database } from './database.ts';
import { searchTextOf } from './search-text.ts';
import { listStatement, placeOf } from './session-list.ts';
import { storedName } from './stored-name.ts';

/** A record as it stands in its row. */
interface StoredRecord {
  readonly record: SessionRecord;
  /** The write that it came with. */
  readonly writtenBy: string;
}

/**
 * Keeps session records in a table: each as JSON, and what is looked for in columns beside it.
 *
 * @param assertOpen  Throws when the store has been closed.
 */
export function postgresSessionIndex(database: Database, assertOpen: () => void): SessionIndex {
  const { sessions } = database.tables;
  const find = async (sessionId: string): Promise<StoredRecord | null> => {
    const text = `SELECT record, written_by FROM ${sessions} WHERE session_id = $1`;
    const values = [await storedName(sessionId)];
    const [row] = (await database.query({ doing: 'read a session record', text, values })).rows;
    if (row === undefined) return null;
    return { record: JSON.parse(String(row.record)), writtenBy: String(row.written_by) };
  };
  return {
    get: async (sessionId) => {
      assertOpen();
      return (await find(sessionId))?.record ?? null;
    },
    put: async (sessionId, given, { expectedRev }) => {
      assertOpen();
      // As it is now: what the caller changes afterwards is not stored.
      const patch: SessionPatch = JSON.parse(JSON.stringify(given));
      const known = await find(sessionId);
      const record = patchRecord(known?.record ?? null, patch, { sessionId, expectedRev });
      const writtenBy = crypto.randomUUID();
      const { rows, isRepeated } = await write(database, { record, writtenBy });
      if (rows.length > 0) return JSON.parse(JSON.stringify(record));
      const now = await find(sessionId);
      if (isRepeated && now?.writtenBy === writtenBy) return now.record;
      // Throws: somebody else was faster.
      return patchRecord(now?.record ?? null, patch, { sessionId, expectedRev });
    },
    list: async (query = {}) => {
      assertOpen();
      const statement = await listStatement(sessions, query);
      const { rows } = await database.query({ doing: 'list session records', ...statement });
      return rows.map(({ record }) => JSON.parse(String(record)));
    },
  };
}

const columns = [
  'session_id',
  'rev',
  'written_by',
  'record',
  'updated_at',
  'place',
  'agent_id',
  'key',
  'state',
  'channel',
  'chat_type',
  'parent_session_key',
  'search',
] as const;

const parameters = columns.map((_, index) => `$${index + 1}`);
const changes = columns.map((column, index) => `${column} = $${index + 1}`).slice(1);

/** Makes the row of a new record, or changes that of the revision before; gives a row when it did. */
async function write(
  database: Database,
  { record, writtenBy }: { readonly record: SessionRecord; readonly writtenBy: string },
): Promise<Answer> {
  const { sessions } = database.tables;
  const text =
    record.rev === 1
      ? `INSERT INTO ${sessions} (${columns.join(', ')}) VALUES (${parameters.join(', ')}) ON CONFLICT DO NOTHING RETURNING rev`
      : `UPDATE ${sessions} SET ${changes.join(', ')}
WHERE session_id = $1 AND rev = $2::bigint - 1 RETURNING rev`;
  return database.query({ doing: 'change a session record', text, values: await valuesOf(record, writtenBy) });
}

async function valuesOf(record: SessionRecord, writtenBy: string): Promise<unknown[]> {
  const { sessionId, rev, updatedAt, agentId, key, state, channel, chatType, parentSessionKey } = record;
  const name = async (text: string | null): Promise<string | null> => (text === null ? null : storedName(text));
  return [
    await storedName(sessionId),
    rev,
    writtenBy,
    JSON.stringify(record),
    updatedAt,
    placeOf(sessionId),
    await name(agentId),
    await name(key),
    await name(state),
    await name(channel),
    await name(chatType),
    await name(parentSessionKey),
    searchTextOf([sessionId, key, record.label, record.displayName]),
  ];
}
