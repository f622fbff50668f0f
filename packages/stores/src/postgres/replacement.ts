import type { JournalBatch, Seq } from '@varve/core';
import type { Answer } from './database.ts';
import { columnParameters, columnsOf, type EntryLine, entryLines } from './entry-lines.ts';
import type { StoredJournal } from './entry-pages.ts';
import { conflictError, replacedError, replacementError } from './journal-errors.ts';

/** Lines and letters that are sent to the server at a time. */
const mostLines = 500;
const mostLetters = 2_000_000;

const doing = 'replace a journal';

/**
 * Puts other content in the place of a journal, and gives its new generation. The content is sent to a table beside it, so
 * that none of it is held in memory and no transaction is open meanwhile; one statement then takes it all over.
 *
 * @throws VARVE_STORE_CONFLICT, VARVE_STORE_IO
 */
export async function replaceJournal(
  journal: StoredJournal,
  batches: AsyncIterable<JournalBatch>,
  { expectedSeq, generation }: { readonly expectedSeq: Seq; readonly generation: number },
): Promise<number> {
  const replacement = crypto.randomUUID();
  try {
    const { lastSeq, checkpointSeq } = await send(journal, { replacement, batches });
    if (lastSeq !== expectedSeq) {
      const known = await standing(journal);
      if (known?.lastSeq !== expectedSeq) throw conflictError({ expectedSeq, lastSeq: known?.lastSeq ?? 0 });
      throw replacementError(`The new journal has ${lastSeq} entries, the old ${expectedSeq}`);
    }
    const { rows, isRepeated } = await takeOver(journal, { replacement, expectedSeq, generation, checkpointSeq });
    if (rows[0]?.found === 1) return generation + 1;
    const known = await standing(journal);
    // Done by an attempt whose answer was lost: what was sent is gone, since it was taken over.
    if (isRepeated && known?.generation === generation + 1 && !(await isSent(journal, replacement)))
      return generation + 1;
    if (known?.generation !== generation) throw replacedError(journal.sessionId);
    throw conflictError({ expectedSeq, lastSeq: known.lastSeq });
  } catch (error) {
    // What cannot be removed now goes with a later replacement.
    await discard(journal, replacement).catch(() => {});
    throw error;
  }
}

/** Sends the new content, numbered from 1 on. */
async function send(
  journal: StoredJournal,
  { replacement, batches }: { readonly replacement: string; readonly batches: AsyncIterable<JournalBatch> },
): Promise<{ readonly lastSeq: Seq; readonly checkpointSeq: Seq | null }> {
  let lastSeq = 0;
  let checkpointSeq: Seq | null = null;
  let waiting: EntryLine[] = [];
  let letters = 0;
  for await (const { entries, checkpoint } of batches) {
    for (const line of entryLines(entries, checkpoint)) {
      lastSeq += 1;
      if (line.seq !== lastSeq) throw replacementError(`Entry "${line.id}" of the new journal has seq ${line.seq}`);
      if (line.checkpoint !== null) checkpointSeq = line.seq;
      waiting.push(line);
      letters += line.text.length;
      if (waiting.length < mostLines && letters < mostLetters) continue;
      await sendLines(journal, { replacement, lines: waiting });
      waiting = [];
      letters = 0;
    }
  }
  if (waiting.length > 0) await sendLines(journal, { replacement, lines: waiting });
  return { lastSeq, checkpointSeq };
}

async function sendLines(
  { database }: StoredJournal,
  { replacement, lines }: { readonly replacement: string; readonly lines: readonly EntryLine[] },
): Promise<void> {
  const text = `INSERT INTO ${database.tables.replacements} (replacement, seq, entry_id, entry, checkpoint)
SELECT $1, line.* FROM unnest(${columnParameters(2)}) AS line ON CONFLICT DO NOTHING`;
  await database.query({ doing, text, values: [replacement, ...(await columnsOf(lines))] });
}

async function takeOver(
  { database, name }: StoredJournal,
  change: {
    readonly replacement: string;
    readonly expectedSeq: Seq;
    readonly generation: number;
    readonly checkpointSeq: Seq | null;
  },
): Promise<Answer> {
  const { journals, entries, replacements } = database.tables;
  const text = `WITH head AS (
  UPDATE ${journals} SET generation = generation + 1, checkpoint_seq = $5
  WHERE session_id = $2 AND last_seq = $3 AND generation = $4
    AND $3 = (SELECT count(*) FROM ${replacements} WHERE replacement = $1)
  RETURNING session_id
), changed AS (
  UPDATE ${entries} AS old SET entry_id = new.entry_id, entry = new.entry, checkpoint = new.checkpoint
  FROM head, ${replacements} AS new
  WHERE old.session_id = head.session_id AND new.replacement = $1 AND old.seq = new.seq
    AND (old.entry_id, old.entry, old.checkpoint) IS DISTINCT FROM (new.entry_id, new.entry, new.checkpoint)
), gone AS (
  DELETE FROM ${replacements} USING head
  WHERE replacement = $1 OR begun_at < now() - interval '1 day'
)
SELECT count(*)::int AS found FROM head`;
  const { replacement, expectedSeq, generation, checkpointSeq } = change;
  return database.query({ doing, text, values: [replacement, name, expectedSeq, generation, checkpointSeq] });
}

async function standing({
  database,
  name,
}: StoredJournal): Promise<{ readonly lastSeq: Seq; readonly generation: number } | null> {
  const text = `SELECT last_seq, generation FROM ${database.tables.journals} WHERE session_id = $1`;
  const [row] = (await database.query({ doing, text, values: [name] })).rows;
  return row === undefined ? null : { lastSeq: Number(row.last_seq), generation: Number(row.generation) };
}

async function isSent({ database }: StoredJournal, replacement: string): Promise<boolean> {
  const text = `SELECT 1 FROM ${database.tables.replacements} WHERE replacement = $1 LIMIT 1`;
  return (await database.query({ doing, text, values: [replacement] })).rows.length > 0;
}

async function discard({ database }: StoredJournal, replacement: string): Promise<void> {
  const text = `DELETE FROM ${database.tables.replacements} WHERE replacement = $1`;
  await database.query({ doing: 'remove what was sent', text, values: [replacement] });
}
