import { type JournalArchives, VarveError } from '@varve/core';
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
  const isPacked = async (sessionId: string): Promise<boolean | null> => {
    assertOpen();
    const text = `SELECT packed FROM ${journals} WHERE session_id = $1`;
    const values = [await storedName(sessionId)];
    const [row] = (await database.query({ doing: 'look for a journal', text, values })).rows;
    return row === undefined ? null : row.packed === true;
  };
  return {
    isPacked,
    pack: async (sessionId) => {
      await mark(sessionId, true);
      const bytes = await bytesOf(database, sessionId);
      return { bytes, journalBytes: bytes };
    },
    unpack: (sessionId) => mark(sessionId, false),
    remove: async (sessionId, { expectedRev }) => {
      assertOpen();
      await remove(database, { sessionId, expectedRev });
    },
  };

  async function mark(sessionId: string, packed: boolean): Promise<void> {
    if ((await isPacked(sessionId)) === null) throw missingError(sessionId);
    await markPacked(database, { name: await storedName(sessionId), packed });
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

const doing = 'remove a journal';

async function remove(
  database: Database,
  { sessionId, expectedRev }: { readonly sessionId: string; readonly expectedRev: number },
): Promise<void> {
  const { journals, entries, sessions } = database.tables;
  const name = await storedName(sessionId);
  const text = `WITH known AS (
  SELECT 1 WHERE coalesce((SELECT rev FROM ${sessions} WHERE session_id = $1), 0) = $2
), lines AS (
  DELETE FROM ${entries} USING known WHERE session_id = $1
), journal AS (
  DELETE FROM ${journals} USING known WHERE session_id = $1 RETURNING 1
), record AS (
  DELETE FROM ${sessions} USING known WHERE session_id = $1 RETURNING 1
)
SELECT (SELECT count(*) FROM journal)::int + (SELECT count(*) FROM record)::int AS found,
  (SELECT rev FROM ${sessions} WHERE session_id = $1) AS rev`;
  const { rows, isRepeated } = await database.query({ doing, text, values: [name, expectedRev] });
  // Of an append that went on meanwhile; none can come any more.
  const rest = `DELETE FROM ${entries} WHERE session_id = $1
AND NOT EXISTS (SELECT 1 FROM ${journals} WHERE session_id = $1)`;
  await database.query({ doing, text: rest, values: [name] });
  const [row] = rows;
  if (row?.found !== 0) return;
  const rev = Number(row.rev ?? 0);
  if (rev !== expectedRev && !(isRepeated && rev === 0)) throw changedError(sessionId, { rev, expectedRev });
  if (!isRepeated) throw missingError(sessionId);
}

function changedError(sessionId: string, revs: { readonly rev: number; readonly expectedRev: number }): VarveError {
  const message = `The record of session "${sessionId}" has rev ${revs.rev}, and not ${revs.expectedRev}.`;
  return new VarveError('VARVE_STORE_CONFLICT', message, {
    fix: 'Read the record again, and decide whether the session is to go all the same.',
    details: { sessionId, ...revs },
  });
}
