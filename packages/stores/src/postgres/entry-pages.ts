import type { Checkpoint, Entry, Seq, Tail } from '@varve/core';
import type { Database } from './database.ts';
import { closedError, missingError } from './journal-errors.ts';
import { storedNames } from './stored-name.ts';

/** A journal on the server. */
export interface StoredJournal {
  readonly database: Database;
  readonly sessionId: string;
  /** The session as its column names it. */
  readonly name: string;
  readonly isStoreClosed: () => boolean;
}

/** Entries of one answer, and most letters of it: what does not fit is the next page. One entry always fits. */
const pageEntries = 256;
const pageLetters = 1_000_000;

const doing = 'read a journal';

/** Where a journal stands. */
interface JournalHead {
  readonly lastSeq: Seq;
  readonly generation: number;
  readonly checkpoint: Checkpoint | null;
}

/** Where a journal stands, with its newest checkpoint. @throws VARVE_STORE_MISSING */
async function readHead({ database, sessionId, name }: StoredJournal): Promise<JournalHead> {
  const { journals, entries } = database.tables;
  const text = `SELECT head.last_seq, head.generation, mark.checkpoint FROM ${journals} AS head
LEFT JOIN ${entries} AS mark ON mark.session_id = head.session_id AND mark.seq = head.checkpoint_seq
WHERE head.session_id = $1`;
  const [row] = (await database.query({ doing, text, values: [name] })).rows;
  if (row === undefined) throw missingError(sessionId);
  const { checkpoint } = row;
  return {
    lastSeq: Number(row.last_seq),
    generation: Number(row.generation),
    checkpoint: typeof checkpoint === 'string' ? JSON.parse(checkpoint) : null,
  };
}

/** The tail, and the generation that it is of. */
export async function readTail(journal: StoredJournal): Promise<{ readonly tail: Tail; readonly generation: number }> {
  for (;;) {
    const { lastSeq, generation, checkpoint } = await readHead(journal);
    const entries: Entry[] = [];
    const range = { fromSeq: checkpoint?.visibleFromSeq ?? 1, toSeq: lastSeq };
    for await (const page of pagesOf(journal, range)) entries.push(...page);
    // A journal that was replaced meanwhile has another checkpoint, which goes with other entries.
    if (entries.length === 0 || (await readHead(journal)).generation === generation) {
      return { tail: { checkpoint, entries }, generation };
    }
  }
}

/** The entries of a range, up to where the journal ends now. Nothing is held on the server between two pages. */
export async function* readEntries(
  journal: StoredJournal,
  { fromSeq = 1, toSeq = Infinity }: { readonly fromSeq?: Seq | undefined; readonly toSeq?: Seq | undefined },
): AsyncGenerator<Entry, undefined> {
  try {
    const { lastSeq } = await readHead(journal);
    for await (const page of pagesOf(journal, { fromSeq, toSeq: Math.min(toSeq, lastSeq) })) yield* page;
  } catch (error) {
    // The pool may have been ended by then, which says less.
    throw journal.isStoreClosed() ? closedError('store') : error;
  }
}

async function* pagesOf(
  { database, name, isStoreClosed }: StoredJournal,
  { fromSeq, toSeq }: { readonly fromSeq: Seq; readonly toSeq: Seq },
): AsyncGenerator<readonly Entry[], undefined> {
  // Letters are summed before anything is fetched: a page of the longest entries must not fill the memory.
  const text = `SELECT seq, entry FROM (
  SELECT seq, entry, sum(octet_length(entry)) OVER (ORDER BY seq) - octet_length(entry) AS letters_before
  FROM (SELECT seq, entry FROM ${database.tables.entries} WHERE session_id = $1 AND seq BETWEEN $2 AND $3
    ORDER BY seq LIMIT ${pageEntries}) AS page
) AS sized WHERE letters_before < ${pageLetters} ORDER BY seq`;
  let next = Math.max(1, Math.ceil(fromSeq));
  const last = Math.floor(toSeq);
  while (next <= last) {
    if (isStoreClosed()) throw closedError('store');
    const { rows } = await database.query({ doing, text, values: [name, next, last] });
    if (rows.length === 0) return;
    yield rows.map(({ entry }) => JSON.parse(String(entry)));
    next = Number(rows.at(-1)?.seq) + 1;
  }
}

/** Single entries by seq or id, in the order asked for. */
export async function getEntries(
  { database, name }: StoredJournal,
  seqsOrIds: readonly (Seq | string)[],
): Promise<readonly Entry[]> {
  const seqs = [...new Set(seqsOrIds.filter((asked) => Number.isSafeInteger(asked)))];
  const ids = [...new Set(seqsOrIds.filter((asked) => typeof asked === 'string'))];
  if (seqs.length + ids.length === 0) return [];
  const names = await storedNames(ids);
  const { entries } = database.tables;
  const text = `SELECT seq, entry_id, entry FROM ${entries} WHERE session_id = $1 AND seq = ANY($2::bigint[])
UNION ALL
SELECT seq, entry_id, entry FROM ${entries} WHERE session_id = $1 AND entry_id = ANY($3::text[])`;
  const { rows } = await database.query({ doing, text, values: [name, seqs, names] });
  const bySeq = new Map(rows.map(({ seq, entry }) => [Number(seq), String(entry)]));
  // Of entries with one id the last counts.
  const sorted = [...rows].sort((a, b) => Number(a.seq) - Number(b.seq));
  const byName = new Map(sorted.map(({ entry_id: id, entry }) => [String(id), String(entry)]));
  const nameOf = new Map(ids.map((id, index) => [id, names[index] ?? id]));
  return seqsOrIds.flatMap((asked) => {
    const found = typeof asked === 'string' ? byName.get(nameOf.get(asked) ?? asked) : bySeq.get(asked);
    // Each from its text: a caller that changes one must not change the same one further on.
    return found === undefined ? [] : [JSON.parse(found)];
  });
}
