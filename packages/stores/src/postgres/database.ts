import { VarveError } from '@varve/core';
import { databaseError, isPassing, isUncertain } from './database-error.ts';
import { migrationStatement, tablesVersion } from './migrations.ts';
import type { PostgresClient, PostgresPool, PostgresStatement } from './postgres-pool.ts';
import type { TableNames } from './table-names.ts';

/** How long a store waits for its database. */
export interface DatabaseTimes {
  /** One attempt: a free connection, and the answer to one statement. */
  readonly timeoutMs: number;
  /** How long it is tried again while the connection is lost. */
  readonly retryMs: number;
}

/** A row of an answer: which columns it has, and of which type, its statement says. */
export interface Row {
  readonly found?: unknown;
  readonly encoding?: unknown;
  readonly version?: unknown;
  readonly header?: unknown;
  readonly last_seq?: unknown;
  readonly generation?: unknown;
  readonly fence?: unknown;
  readonly session_id?: unknown;
  readonly seq?: unknown;
  readonly entry_id?: unknown;
  readonly entry?: unknown;
  readonly checkpoint?: unknown;
  readonly record?: unknown;
  readonly written_by?: unknown;
  readonly packed?: unknown;
  readonly bytes?: unknown;
  readonly rev?: unknown;
}

/** What a statement gave. */
export interface Answer {
  readonly rows: readonly Row[];
  /** Whether it may have been carried out more than once: an attempt before ended without an answer. */
  readonly isRepeated: boolean;
}

/** A statement, and what it is for: "the database could not …". */
export interface Request extends PostgresStatement {
  readonly doing: string;
}

const firstPauseMs = 25;
const longestPauseMs = 1_000;

/** Pools that have somebody who hears of lost connections: unheard, they would end the process. */
const heard = new WeakSet<PostgresPool>();

/**
 * Runs statements on a pool, each a transaction of its own: when a connection is lost, or a process is cut off or
 * killed, nothing stays open or locked on the server. Each must be one that may be repeated.
 */
export class Database {
  readonly tables: TableNames;
  readonly #pool: PostgresPool;
  readonly #times: DatabaseTimes;
  #ready: Promise<void> | null = null;

  constructor(pool: PostgresPool, { tables, times }: { readonly tables: TableNames; readonly times: DatabaseTimes }) {
    this.tables = tables;
    this.#pool = pool;
    this.#times = times;
    if (heard.has(pool)) return;
    heard.add(pool);
    // The pool closes the connection by itself, and the next statement gets another one.
    pool.on('error', () => {});
  }

  /** How many connections the pool has at most; `undefined` when it does not say. */
  get mostConnections(): number | undefined {
    return this.#pool.options?.max;
  }

  /**
   * Runs a statement, and again when the connection is lost. The tables are there by then.
   *
   * @throws VARVE_STORE_IO  when the server refuses it, or cannot be reached for `retryMs`: it may have been carried out.
   */
  async query(request: Request): Promise<Answer> {
    this.#ready ??= this.#prepare().catch((error: unknown) => {
      this.#ready = null;
      throw error;
    });
    await this.#ready;
    return this.#repeat(request);
  }

  /** Runs a statement once. @throws what the driver throws */
  async attempt({ text, values }: PostgresStatement): Promise<readonly Row[]> {
    const client = await this.connect();
    try {
      const rows = await this.ask(client, values === undefined ? { text } : { text, values });
      client.release();
      return rows;
    } catch (error) {
      client.release(isUncertain(error) ? asError(error) : undefined);
      throw error;
    }
  }

  /** Runs a statement on a connection, which is of no use any more when that fails. @throws what the driver throws */
  async ask(client: PostgresClient, statement: PostgresStatement): Promise<readonly Row[]> {
    const asked = client.query(statement);
    return (await before(this.#times.timeoutMs, { work: asked, what: 'no answer' })).rows;
  }

  /** Takes a connection out of the pool. Losing it is no error of the process. @throws what the driver throws */
  async connect(): Promise<PostgresClient> {
    const connecting = this.#pool.connect();
    try {
      const client = await before(this.#times.timeoutMs, { work: connecting, what: 'no free connection' });
      listenOnce(client);
      return client;
    } catch (error) {
      // One that comes too late goes back.
      connecting.then((client) => client.release()).catch(() => {});
      throw error instanceof TimeoutError ? error : new ConnectError(error);
    }
  }

  async #repeat({ text, values, doing }: Request): Promise<Answer> {
    const until = performance.now() + this.#times.retryMs;
    const statement = values === undefined ? { text } : { text, values };
    let isRepeated = false;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        return { rows: await this.attempt(statement), isRepeated };
      } catch (error) {
        const cause = error instanceof ConnectError ? error.cause : error;
        isRepeated ||= !(error instanceof ConnectError) && isUncertain(error);
        if (!isPassing(cause) || performance.now() + pauseMs > until) throw databaseError(cause, doing);
        await pause(pauseMs);
      }
    }
  }

  async #prepare(): Promise<void> {
    const { migrations } = this.tables;
    const doing = 'make its tables ready';
    const look = {
      doing,
      text: `SELECT to_regclass($1) IS NOT NULL AS found, current_setting('server_encoding') AS encoding`,
      values: [migrations],
    };
    const [state] = (await this.#repeat(look)).rows;
    if (state?.encoding !== 'UTF8') throw encodingError(String(state?.encoding));
    if (state.found !== true || (await this.#version()) < tablesVersion) {
      await this.#repeat({ doing, text: migrationStatement(this.tables) });
    }
    const version = await this.#version();
    if (version > tablesVersion) throw versionError(version);
  }

  async #version(): Promise<number> {
    const text = `SELECT coalesce(max(version), 0)::int AS version FROM ${this.tables.migrations}`;
    const [row] = (await this.#repeat({ doing: 'make its tables ready', text })).rows;
    return Number(row?.version);
  }
}

/** Waits. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** No connection was made: nothing was sent. */
class ConnectError extends Error {
  constructor(cause: unknown) {
    super('no connection', { cause });
  }
}

class TimeoutError extends Error {}

async function before<Result>(
  ms: number,
  { work, what }: { readonly work: Promise<Result>; readonly what: string },
): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeoutError(`${what} within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    // What fails later has been told already.
    work.catch(() => {});
  }
}

/** Connections whose loss somebody hears. The pool keeps them, so that each is heard once however often it is taken. */
const heardClients = new WeakSet<PostgresClient>();

function listenOnce(client: PostgresClient): void {
  if (heardClients.has(client)) return;
  heardClients.add(client);
  // What is lost is told by the statement under way, or by the next one.
  client.on('error', () => {});
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function encodingError(encoding: string): VarveError {
  return new VarveError('VARVE_STORE_IO', `The database has the encoding ${encoding}; journals need UTF8.`, {
    fix: "Create a database with ENCODING 'UTF8', and name it in the options of the pool.",
    details: { encoding },
  });
}

function versionError(version: number): VarveError {
  const message = `The tables have version ${version}; this version of Varve knows ${tablesVersion}.`;
  return new VarveError('VARVE_STORE_VERSION', message, {
    fix: 'Update @varve/stores to the version that made the tables, or a later one.',
    details: { version, known: tablesVersion },
  });
}
