import type { Journal, JournalArchives, JournalHeader, Store } from '@varve/core';
import { AppendQueue } from './postgres/append-queue.ts';
import { ChangeNotices } from './postgres/change-notices.ts';
import { Database } from './postgres/database.ts';
import { markPacked, postgresArchives } from './postgres/journal-archives.ts';
import { closedError, missingError } from './postgres/journal-errors.ts';
import { type JournalListener, JournalWatch } from './postgres/journal-watch.ts';
import { createPostgresJournal } from './postgres/postgres-journal.ts';
import type { PostgresPool } from './postgres/postgres-pool.ts';
import { removeSession } from './postgres/remove-session.ts';
import { postgresSessionIndex } from './postgres/session-index.ts';
import { storedName } from './postgres/stored-name.ts';
import { tableNames } from './postgres/table-names.ts';

export type { JournalListener } from './postgres/journal-watch.ts';
export type {
  PostgresClient,
  PostgresNotification,
  PostgresPool,
  PostgresStatement,
} from './postgres/postgres-pool.ts';

/** Where journals are kept, and how long a store waits for its database. */
export interface PostgresStoreOptions {
  /** A `Pool` of the package `pg`. It stays the caller's: end it when the store is closed. */
  readonly pool: PostgresPool;
  /**
   * Schema of the tables, made when it is not there: 1 to 63 letters, digits and `_`.
   *
   * @default the first one of the search path
   */
  readonly schema?: string | undefined;
  /** Milliseconds for one attempt: a free connection of the pool, then the answer. @default 10 000 */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds for which it is tried again while the server cannot be reached. @default 30 000 */
  readonly retryMs?: number | undefined;
  /** Milliseconds after which watched journals are looked at even if no notice came. @default 5 000 */
  readonly pollMs?: number | undefined;
}

/** A store that tells what others append. */
export interface PostgresStore extends Store {
  readonly supports: { readonly multiProcess: 'full'; readonly archives: 'marked' };
  readonly archives: JournalArchives;
  remove(sessionId: string, options: { readonly expectedRev: number }): Promise<void>;
  /**
   * Calls back with the seq of the last entry of a session's journal when it has grown, whoever appended to it; now and
   * then also when it has not. Never throws.
   *
   * @returns what ends it.
   */
  watch(sessionId: string, listener: JournalListener): () => void;
}

/**
 * Keeps journals in a PostgreSQL database, version 13 or later, that any number of processes share.
 *
 * Tables are made and brought up to date with the first use. An append is one statement: all of it or nothing, refused
 * when somebody else was faster or has taken over the turns.
 *
 * @throws VARVE_OPTION_INVALID  for a schema that cannot be.
 */
export function postgresStore(options: PostgresStoreOptions): PostgresStore {
  return new OpenPostgresStore(options);
}

class OpenPostgresStore implements PostgresStore {
  readonly supports = { multiProcess: 'full', archives: 'marked' } as const;
  readonly sessions: Store['sessions'];
  readonly archives: JournalArchives;
  readonly #database: Database;
  readonly #notices: ChangeNotices;
  readonly #watch: JournalWatch;
  readonly #journals = new Set<Journal>();
  #disposing: Promise<void> | null = null;

  constructor({ pool, schema, timeoutMs = 10_000, retryMs = 30_000, pollMs = 5_000 }: PostgresStoreOptions) {
    this.#database = new Database(pool, { tables: tableNames(schema), times: { timeoutMs, retryMs } });
    this.#notices = new ChangeNotices(this.#database);
    this.#watch = new JournalWatch(this.#database, { pollMs });
    this.sessions = postgresSessionIndex(this.#database, () => this.#assertOpen());
    this.archives = postgresArchives(this.#database, () => this.#assertOpen());
  }

  async open(
    sessionId: string,
    { create, readOnly = false }: { readonly create?: JournalHeader; readonly readOnly?: boolean } = {},
  ): Promise<Journal> {
    this.#assertOpen();
    const offered = create === undefined || readOnly ? null : JSON.stringify({ ...create, sessionId });
    const name = await storedName(sessionId);
    const found = (await this.#find(name)) ?? (offered === null ? null : await this.#begin(name, offered));
    if (found === null) throw missingError(sessionId);
    const database = this.#database;
    if (found.isPacked && !readOnly) await markPacked(database, { name, packed: false });
    this.#assertOpen();
    const onStored = (lastSeq: number): void => this.#notices.add({ name, lastSeq });
    const journal = createPostgresJournal({
      ...found,
      stored: { database, sessionId, name, isStoreClosed: () => this.#disposing !== null },
      queue: readOnly ? undefined : new AppendQueue({ database, sessionId, name, onStored }),
      onClose: () => this.#journals.delete(journal),
    });
    this.#journals.add(journal);
    return journal;
  }

  async remove(sessionId: string, { expectedRev }: { readonly expectedRev: number }): Promise<void> {
    const record = await this.sessions.get(sessionId);
    await removeSession(this.#database, { sessionId, expectedRev, record });
  }

  watch(sessionId: string, listener: JournalListener): () => void {
    let isOver = false;
    let stop = (): void => {};
    void storedName(sessionId).then((name) => {
      if (!isOver && this.#disposing === null) stop = this.#watch.watch(name, listener);
    });
    return () => {
      isOver = true;
      stop();
    };
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#disposing ??= (async () => {
      await Promise.all([...this.#journals].map((journal) => journal.close()));
      await Promise.all([this.#watch.close(), this.#notices.idle()]);
    })();
    return this.#disposing;
  }

  async #begin(name: string, header: string): Promise<FoundJournal | null> {
    const text = `INSERT INTO ${this.#database.tables.journals} (session_id, header) VALUES ($1, $2) ON CONFLICT DO NOTHING`;
    await this.#database.query({ doing: 'begin a journal', text, values: [name, header] });
    // Somebody else's, if that was first.
    return this.#find(name);
  }

  async #find(name: string): Promise<FoundJournal | null> {
    const text = `SELECT header, generation, packed FROM ${this.#database.tables.journals} WHERE session_id = $1`;
    const [row] = (await this.#database.query({ doing: 'open a journal', text, values: [name] })).rows;
    if (row === undefined) return null;
    const { header, generation, packed } = row;
    return { header: JSON.parse(String(header)), generation: Number(generation), isPacked: packed === true };
  }

  #assertOpen(): void {
    if (this.#disposing !== null) throw closedError('store');
  }
}

interface FoundJournal {
  readonly header: JournalHeader;
  readonly generation: number;
  readonly isPacked: boolean;
}
