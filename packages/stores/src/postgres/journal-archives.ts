import type { JournalArchives } from '@varve/core';
import type { Database } from './database.ts';
import { missingError } from './journal-errors.ts';
import { storedName } from './stored-name.ts';

/**
 * Marks journals that are put away. They stay where they are: rows are compressed by the server, and nothing is won by
 * moving them. Nobody has to have closed a journal for that; who opens it for writing takes the mark away.
 *
 * @param assertOpen  Throws when the store has been closed.
 */
export function postgresArchives(database: Database, assertOpen: () => void): JournalArchives {
  const { journals } = database.tables;
  return {
    list: async () => {
      assertOpen();
      const text = `SELECT header FROM ${journals} WHERE packed`;
      const { rows } = await database.query({ doing: 'list packed journals', text });
      // Not the name of the row, which may be a hash.
      return rows.map(({ header }) => JSON.parse(String(header)).sessionId);
    },
    pack: async (sessionId) => {
      await mark(sessionId, true);
      const bytes = await bytesOf(database, sessionId);
      return { bytes, journalBytes: bytes };
    },
    unpack: (sessionId) => mark(sessionId, false),
  };

  async function mark(sessionId: string, packed: boolean): Promise<void> {
    assertOpen();
    const name = await storedName(sessionId);
    const text = `SELECT 1 FROM ${journals} WHERE session_id = $1`;
    const { rows } = await database.query({ doing: 'look for a journal', text, values: [name] });
    if (rows.length === 0) throw missingError(sessionId);
    await markPacked(database, { name, packed });
  }
}

/** Says whether a journal is put away. */
export async function markPacked(
  database: Database,
  { name, packed }: { readonly name: string; readonly packed: boolean },
): Promise<void> {
  const text = `UPDATE ${database.tables.journals} SET packed = $2 WHERE session_id = $1 AND packed <> $2`;
  await database.query({ doing: packed ? 'pack a journal' : 'unpack a journal', text, values: [name, packed] });
}

async function bytesOf(database: Database, sessionId: string): Promise<number> {
  const text = `SELECT coalesce(sum(pg_column_size(entry)), 0) AS bytes FROM ${database.tables.entries} WHERE session_id = $1`;
  const values = [await storedName(sessionId)];
  const [row] = (await database.query({ doing: 'measure a journal', text, values })).rows;
  return Number(row?.bytes ?? 0);
}
