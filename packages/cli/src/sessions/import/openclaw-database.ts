import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as zlib from 'node:zlib';
import { VarveError } from '@varve/core';
import { codeOf } from '../../terminal/make-folder.ts';
import { EventFiles } from './openclaw-event-files.ts';

/** A conversation of a database: what is said of it, and its transcripts. */
export interface DatabaseConversation {
  readonly name: string;
  /** As it would stand in a `sessions.json`. */
  readonly entry: unknown;
  /** Each in a file of its own, the newest first: a reset begins another one. */
  readonly generations: readonly { readonly id: string; readonly file: string; readonly isCurrent: boolean }[];
}

/** A row of one of the tables that are read. */
interface Row {
  readonly session_key?: unknown;
  readonly current_session_id?: unknown;
  readonly session_id?: unknown;
  readonly entry_json?: unknown;
  readonly event_json?: unknown;
  readonly event_zstd?: unknown;
}

/** What is used of Node's own SQLite. */
interface Sqlite {
  readonly DatabaseSync: new (
    path: string,
  ) => {
    prepare(sql: string): { iterate(...values: unknown[]): Iterable<Row> };
    close(): void;
  };
}

/**
 * Reads the database that OpenClaw keeps an agent's conversations in, from a copy: the file itself is not opened by
 * SQLite, which would write beside it. The transcripts are in files until the next conversation is asked for.
 *
 * @throws VARVE_TRANSCRIPT_UNREADABLE  where this Node has no SQLite, or the file is another one or being written.
 */
export async function* readDatabase(file: string): AsyncGenerator<DatabaseConversation, void, undefined> {
  const { DatabaseSync } = await sqlite(file);
  const folder = await mkdtemp(join(tmpdir(), 'varve-import-'));
  try {
    const copy = join(folder, 'copy.sqlite');
    await copyQuietly(file, copy);
    const database = new DatabaseSync(copy);
    try {
      for (const row of rowsOf(database, 'SELECT session_key, current_session_id, entry_json FROM session_nodes')) {
        const name = String(row.session_key);
        const current = String(row.current_session_id);
        const events = new EventFiles(folder);
        const windows = 'SELECT session_id FROM session_windows WHERE session_key = ? ORDER BY created_at, session_id';
        const ids = rowsOf(database, windows, name).map(({ session_id }) => String(session_id));
        for (const id of [...ids.filter((one) => one !== current), current]) {
          const sql = 'SELECT seq, event_json, event_zstd FROM transcript_events WHERE session_id = ? ORDER BY seq';
          await events.begin(id);
          for (const event of database.prepare(sql).iterate(id)) await events.add(textOf(event));
        }
        await events.end();
        const generations = events.files.map(({ id, path }, at) => ({
          ...{ id, file: path, isCurrent: at === events.files.length - 1 },
        }));
        yield { name, entry: entryOf(row.entry_json, current), generations: generations.reverse() };
        await events.remove();
      }
    } finally {
      database.close();
    }
  } catch (error) {
    if (VarveError.is(error)) throw error;
    throw unreadable(file, { why: error instanceof Error ? error.message : String(error), cause: error });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function sqlite(file: string): Promise<Sqlite> {
  // Not in every Node that runs Varve, and so not known to its types.
  const name = 'node:sqlite';
  try {
    if (typeof decompress !== 'function') throw new Error('This Node cannot decompress it.');
    return (await import(name)) as Sqlite;
  } catch (cause) {
    throw new VarveError(
      'VARVE_TRANSCRIPT_UNREADABLE',
      `"${file}" is a SQLite database, which this Node cannot read.`,
      {
        fix: 'Run the same command with Node 24: npx -y -p node@24 node "$(command -v varve)" sessions import …',
        cause,
      },
    );
  }
}

const decompress = (zlib as unknown as { readonly zstdDecompressSync?: (bytes: Uint8Array) => Buffer })
  .zstdDecompressSync;

/** Copies a database with what was not yet moved into it, while nobody writes. */
async function copyQuietly(file: string, copy: string): Promise<void> {
  const factsOf = async (path: string): Promise<string> => {
    const facts = await stat(path).catch(() => null);
    return facts === null ? '' : `${facts.size} ${facts.mtimeMs}`;
  };
  const facts = async (): Promise<string> => `${await factsOf(file)} ${await factsOf(`${file}-wal`)}`;
  const before = await facts();
  try {
    await copyFile(file, copy);
    await copyFile(`${file}-wal`, `${copy}-wal`).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
    });
  } catch (cause) {
    throw unreadable(file, { why: codeOf(cause), cause });
  }
  if ((await facts()) !== before) throw unreadable(file, { why: 'it was written to meanwhile', cause: null });
}

function rowsOf(
  database: InstanceType<Sqlite['DatabaseSync']>,
  sql: string,
  ...values: readonly unknown[]
): readonly Row[] {
  return [...database.prepare(sql).iterate(...values)];
}

/** The line of an event, which may be compressed. */
function textOf({ event_json: plain, event_zstd: packed }: Row): string {
  if (typeof plain === 'string') return plain;
  if (packed instanceof Uint8Array && decompress !== undefined) return decompress(packed).toString('utf8');
  return '';
}

function entryOf(json: unknown, sessionId: string): unknown {
  try {
    return { ...(JSON.parse(String(json)) as object), sessionId };
  } catch {
    return { sessionId };
  }
}

function unreadable(file: string, { why, cause }: { readonly why: string; readonly cause: unknown }): VarveError {
  return new VarveError('VARVE_TRANSCRIPT_UNREADABLE', `"${file}" cannot be read: ${why}.`, {
    fix: 'Stop OpenClaw, so that nobody writes to it, and give a database of version 2026.9.',
    cause,
  });
}
