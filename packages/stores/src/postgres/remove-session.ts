import { type SessionRecord, VarveError } from '@varve/core';
import { changedError } from '../changed-error.ts';
import type { Database } from './database.ts';
import { missingError } from './journal-errors.ts';
import { storedName } from './stored-name.ts';

const doing = 'remove a session';

/**
 * Deletes the rows of a session. Nobody has to have closed it, but no host may hold its turns: a lease is part of the record,
 * so that whoever takes one meanwhile changes its `rev`, and nothing is deleted.
 *
 * @throws VARVE_STORE_MISSING, VARVE_STORE_CONFLICT, VARVE_STORE_LOCKED, VARVE_STORE_IO
 */
export async function removeSession(database: Database, { record, sessionId, expectedRev }: Removal): Promise<void> {
  if (record !== null && record.rev === expectedRev) refuseLeased(record);
  const { journals, entries, sessions } = database.tables;
  const name = await storedName(sessionId);
  // The row is held first: who changes it meanwhile, by taking a lease say, comes before all of this or after it.
  const text = `WITH held AS (
  SELECT 1 FROM ${sessions} WHERE session_id = $1 AND rev = $2::bigint FOR UPDATE
), known AS (
  SELECT 1 FROM held
  UNION ALL SELECT 1 WHERE $2::bigint = 0 AND NOT EXISTS (SELECT 1 FROM ${sessions} WHERE session_id = $1)
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

/** What is to be removed. */
export interface Removal {
  readonly sessionId: string;
  readonly expectedRev: number;
  /** As it was just read; `null` where there is none. */
  readonly record: SessionRecord | null;
}

function refuseLeased({ sessionId, lease }: SessionRecord): void {
  if (lease === null || lease.untilAt <= Date.now()) return;
  throw new VarveError('VARVE_STORE_LOCKED', `${lease.owner} takes a turn in session "${sessionId}".`, {
    fix: 'Wait until its turn is over.',
    details: { sessionId, owner: lease.owner },
  });
}
