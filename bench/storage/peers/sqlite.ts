import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { LineWriter } from '../limits/group-commit.ts';

/** What is used of a statement. */
export interface SqliteStatement {
  run(...values: readonly (string | number)[]): unknown;
  get(...values: readonly (string | number)[]): unknown;
  all(...values: readonly (string | number)[]): readonly unknown[];
}

/** What is used of a database. */
export interface SqliteDatabase {
  pragma(text: string): unknown;
  exec(text: string): unknown;
  prepare(text: string): SqliteStatement;
  transaction(work: () => void): () => void;
  close(): void;
}

const require = createRequire(import.meta.url);
const bench = join(import.meta.dirname, '../..');

/**
 * Opens databases with better-sqlite3, whose native part is compiled when it is not there: packages are installed without
 * their scripts.
 *
 * @throws Error  when it is not installed, or cannot be compiled here.
 */
export function loadSqlite(say: (text: string) => void): (path: string) => SqliteDatabase {
  try {
    return opener();
  } catch {
    say('  compiling better-sqlite3 (first run, one or two minutes) …');
    const headers = dirname(dirname(process.execPath));
    const withHeaders = existsSync(join(headers, 'include/node/node.h')) ? [`--nodedir=${headers}`] : [];
    const parameters = ['rebuild', 'better-sqlite3', '--no-audit', '--no-fund', ...withHeaders];
    spawnSync('npm', parameters, { cwd: bench, stdio: 'ignore' });
    return opener();
  }
}

function opener(): (path: string) => SqliteDatabase {
  const Database = require('better-sqlite3') as new (path: string) => SqliteDatabase;
  new Database(':memory:').close();
  return (path) => {
    const database = new Database(path);
    database.pragma('journal_mode=WAL');
    database.pragma('synchronous=FULL');
    return database;
  };
}

/** Appends messages to a table; all that are appended in one turn of the event loop share a transaction. */
export function createSqliteWriter(database: SqliteDatabase): LineWriter {
  database.exec('create table entries (seq integer primary key, body text)');
  const insert = database.prepare('insert into entries (body) values (?)');
  let waiting: { readonly body: string; readonly resolve: () => void; readonly reject: (error: unknown) => void }[] =
    [];
  const insertAll = database.transaction(() => {
    for (const { body } of waiting) insert.run(body);
  });
  const run = (): void => {
    let failure: unknown;
    try {
      insertAll();
    } catch (error) {
      failure = error;
    }
    const batch = waiting;
    waiting = [];
    for (const { resolve, reject } of batch) {
      if (failure === undefined) resolve();
      else reject(failure);
    }
  };
  return {
    append: (value) =>
      new Promise((resolve, reject) => {
        waiting.push({ body: JSON.stringify(value), resolve, reject });
        if (waiting.length === 1) setImmediate(run);
      }),
    close: async () => database.close(),
  };
}
