import { type AppendOptions, type Entry, type Seq, VarveError } from '@varve/core';
import type { Answer, Database } from './database.ts';
import { assertNumbered, columnParameters, columnsOf, type EntryLine, entryLines } from './entry-lines.ts';
import { behindError, conflictError, leaseError, missingError, replacedError } from './journal-errors.ts';

/** Whose journal is appended to. */
export interface AppendTarget {
  readonly database: Database;
  readonly sessionId: string;
  /** The session as its column names it. */
  readonly name: string;
  /** Told of what is stored, up to the entry `seq`. */
  readonly onStored: (seq: Seq) => void;
}

/** An append that waits for its turn. */
interface Waiting {
  readonly lines: readonly EntryLine[];
  readonly letters: number;
  readonly expectedSeq: Seq;
  readonly fence: number | null;
  /** Which of the journals that took each other's place the caller knows. */
  readonly generation: number;
  readonly resolve: (stored: { readonly seq: Seq }) => void;
  readonly reject: (error: unknown) => void;
}

/** Where the journal stands on the server. */
interface JournalRow {
  readonly lastSeq: Seq;
  readonly generation: number;
  readonly fence: number;
}

const mostLines = 1_000;
const mostLetters = 4_000_000;

/**
 * Appends in the order in which they came. Those that wait go out together, in one statement that writes all of them or
 * none; when it fails, the ones behind it fail too, since their entries were numbered after those.
 */
export class AppendQueue {
  readonly #target: AppendTarget;
  #waiting: Waiting[] = [];
  #running: Promise<void> | null = null;

  constructor(target: AppendTarget) {
    this.#target = target;
  }

  /** @throws VARVE_ENTRY_INVALID, VARVE_ENTRY_TOO_LARGE, VARVE_STORE_CONFLICT, VARVE_LEASE_LOST, VARVE_STORE_IO */
  async add(
    entries: readonly Entry[],
    { expectedSeq, fence, checkpoint, generation }: AppendOptions & { readonly generation: number },
  ): Promise<{ readonly seq: Seq }> {
    const lines = entryLines(entries, checkpoint);
    assertNumbered(lines, expectedSeq + 1);
    const letters = lines.reduce((sum, { text, checkpoint: mark }) => sum + text.length + (mark?.length ?? 0), 0);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ lines, letters, expectedSeq, fence: fence ?? null, generation, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when nothing waits any more. */
  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  async #run(): Promise<void> {
    // Appends of one turn of the event loop go out together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#take();
      try {
        await this.#store(batch);
        for (const { lines, expectedSeq, resolve } of batch) resolve({ seq: expectedSeq + lines.length });
      } catch (error) {
        this.#fail(batch, error);
      }
    }
    this.#running = null;
  }

  /** The next appends that follow each other, under one lease and in one generation. */
  #take(): readonly Waiting[] {
    const [first] = this.#waiting as [Waiting];
    let { letters } = first;
    let lines = first.lines.length;
    let count = 1;
    for (let last = first; ; count += 1) {
      const next = this.#waiting[count];
      if (next === undefined || next.fence !== first.fence || next.generation !== first.generation) break;
      letters += next.letters;
      lines += next.lines.length;
      if (next.expectedSeq !== last.expectedSeq + last.lines.length) break;
      if (letters > mostLetters || lines > mostLines) break;
      last = next;
    }
    return this.#waiting.splice(0, count);
  }

  #fail(batch: readonly Waiting[], error: unknown): void {
    const behind = this.#waiting;
    this.#waiting = [];
    // Of a write whose outcome nobody knows, each part may be there: it is not said to have lost a race.
    const isUnknown = VarveError.is(error, 'VARVE_STORE_IO');
    for (const [index, { reject }] of batch.entries()) reject(index === 0 || isUnknown ? error : behindError());
    for (const { reject } of behind) reject(behindError());
  }

  async #store(batch: readonly Waiting[]): Promise<void> {
    const { database, name, onStored } = this.#target;
    const [{ expectedSeq, fence, generation }] = batch as [Waiting];
    const lines = batch.flatMap((append) => append.lines);
    const lastSeq = expectedSeq + lines.length;
    const checkpointSeq = lines.findLast(({ checkpoint }) => checkpoint !== null)?.seq ?? null;
    const answer = await database.query({
      doing: 'append to a journal',
      text: this.#statement(),
      values: [name, expectedSeq, lastSeq, fence, checkpointSeq, generation, ...(await columnsOf(lines))],
    });
    if (answer.rows[0]?.found !== 1) await this.#refuse({ batch, lines, answer });
    if (lines.length > 0) onStored(lastSeq);
  }

  /** One statement: the place is taken, the lease is looked at, and the entries are written, or nothing of it is done. */
  #statement(): string {
    const { journals, entries } = this.#target.database.tables;
    return `WITH head AS (
  UPDATE ${journals} SET last_seq = $3, fence = coalesce($4, fence), checkpoint_seq = coalesce($5, checkpoint_seq)
  WHERE session_id = $1 AND last_seq = $2 AND generation = $6 AND fence <= coalesce($4::bigint, fence)
  RETURNING session_id
), added AS (
  INSERT INTO ${entries} (session_id, seq, entry_id, entry, checkpoint)
  SELECT head.session_id, line.* FROM head, unnest(${columnParameters(7)}) AS line
)
SELECT count(*)::int AS found FROM head`;
  }

  /** Nothing was appended: says why, unless an attempt before whose answer was lost did it. */
  async #refuse(refused: {
    readonly batch: readonly Waiting[];
    readonly lines: readonly EntryLine[];
    readonly answer: Answer;
  }): Promise<void> {
    const [{ expectedSeq, fence, generation }] = refused.batch as [Waiting];
    const now = await this.#look();
    if (now === null) throw missingError(this.#target.sessionId);
    const isChanged = now.generation !== generation;
    if (refused.answer.isRepeated && (await this.#isStored(refused.lines, { isChanged }))) return;
    if (isChanged) throw replacedError(this.#target.sessionId);
    if (fence !== null && fence < now.fence) throw leaseError({ fence, highest: now.fence });
    throw conflictError({ expectedSeq, lastSeq: now.lastSeq });
  }

  async #look(): Promise<JournalRow | null> {
    const { database, name } = this.#target;
    const text = `SELECT last_seq, generation, fence FROM ${database.tables.journals} WHERE session_id = $1`;
    const [row] = (await database.query({ doing: 'read a journal', text, values: [name] })).rows;
    if (row === undefined) return null;
    return { lastSeq: Number(row.last_seq), generation: Number(row.generation), fence: Number(row.fence) };
  }

  /** Whether the entries are there, each with its id and, unless the journal was written anew since, its text. */
  async #isStored(lines: readonly EntryLine[], { isChanged }: { readonly isChanged: boolean }): Promise<boolean> {
    if (lines.length === 0) return false;
    const { database, name } = this.#target;
    const text = `SELECT count(*)::int AS found
FROM ${database.tables.entries} AS known, unnest(${columnParameters(3)}) AS line(seq, entry_id, entry, checkpoint)
WHERE known.session_id = $1 AND known.seq = line.seq AND known.entry_id = line.entry_id AND ($2 OR known.entry = line.entry)`;
    const values = [name, isChanged, ...(await columnsOf(lines))];
    const [row] = (await database.query({ doing: 'read a journal', text, values })).rows;
    return row?.found === lines.length;
  }
}
