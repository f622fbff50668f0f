import type { Pool } from 'pg';

/** An entry as it stands in its row, as far as it is judged. */
export interface EntryRow {
  readonly sessionId: string;
  readonly seq: number;
  readonly entryId: string;
  readonly id: string;
  readonly parentId: string | null;
  readonly type: string;
  readonly role: string | null;
  readonly key: string | null;
  readonly text: string;
}

/** What is in the tables. */
export interface Evidence {
  readonly entries: readonly EntryRow[];
  /** The last seq that each journal says of itself. */
  readonly lastSeqs: ReadonlyMap<string, number>;
}

/** Reads the tables with statements of its own. */
export async function readTables(pool: Pool, schema: string): Promise<Evidence> {
  const journals = await pool.query(`SELECT session_id, last_seq::int FROM ${schema}.varve_journals`);
  const { rows } = await pool.query(`SELECT session_id AS "sessionId", seq::int, entry_id AS "entryId",
  entry::json->>'id' AS id, entry::json->>'parentId' AS "parentId", entry::json->>'type' AS type,
  entry::json->>'key' AS key, entry::json->'message'->>'role' AS role,
  coalesce(entry::json->'message'->>'content', '') AS text
FROM ${schema}.varve_entries ORDER BY session_id, seq`);
  return { entries: rows, lastSeqs: new Map(journals.rows.map((row) => [row.session_id, row.last_seq])) };
}
