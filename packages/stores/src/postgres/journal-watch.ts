import type { Seq } from '@varve/core';
import { channel, noticeOf } from './change-notices.ts';
import type { Database } from './database.ts';
import type { PostgresNotification } from './postgres-pool.ts';

/** Told how far a journal has come. */
export type JournalListener = (lastSeq: Seq) => void;

/**
 * Tells how far journals have come, whoever appended to them. One connection of the pool listens while anything is
 * watched; what it misses, because it was lost or a notice was, is found by looking every `pollMs`.
 */
export class JournalWatch {
  readonly #database: Database;
  readonly #pollMs: number;
  readonly #listeners = new Map<string, Set<JournalListener>>();
  /** Lets go of the connection that listens; `null` while there is none. */
  #leave: (() => void) | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #running: Promise<void> | null = null;
  #isClosed = false;

  constructor(database: Database, { pollMs }: { readonly pollMs: number }) {
    this.#database = database;
    this.#pollMs = pollMs;
  }

  /** Calls back when a journal has grown, until the function that it gives is called. */
  watch(name: string, listener: JournalListener): () => void {
    const own = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, own.add(listener));
    this.#plan(0);
    return () => {
      if (!own.delete(listener) || own.size > 0) return;
      if (this.#listeners.get(name) === own) this.#listeners.delete(name);
      if (this.#listeners.size === 0) this.#rest();
    };
  }

  /** Gives its connection back. Nothing is told any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listeners.clear();
    this.#rest();
    await this.#running;
    this.#rest();
  }

  #plan(ms: number): void {
    if (this.#isClosed || this.#listeners.size === 0) return;
    if (this.#timer !== null) {
      if (ms > 0) return;
      clearTimeout(this.#timer);
    }
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#running ??= this.#work().finally(() => {
        this.#running = null;
        this.#plan(this.#pollMs);
      });
    }, ms);
    // Watching keeps no process alive.
    this.#timer.unref?.();
  }

  async #work(): Promise<void> {
    try {
      await this.#listen();
      await this.#look();
    } catch {
      // The next look will tell.
    }
  }

  async #listen(): Promise<void> {
    // With one connection alone, nothing could be read or written any more.
    if (this.#leave !== null || this.#database.mostConnections === 1 || this.#isClosed) return;
    const client = await this.#database.connect();
    let isTaken = true;
    const leave = (): void => {
      if (!isTaken) return;
      isTaken = false;
      if (this.#leave === leave) this.#leave = null;
      // Closed, not given back: nobody else of the pool wants to hear of journals.
      client.release(true);
    };
    client.on('error', leave);
    client.on('end', leave);
    client.on('notification', (message: PostgresNotification) => {
      const notice = message.channel === channel ? noticeOf(message.payload, this.#database.tables.schema) : null;
      if (notice !== null && isTaken) this.#tell(notice.name, notice.lastSeq);
    });
    this.#leave = leave;
    try {
      await this.#database.ask(client, { text: `LISTEN ${channel}` });
    } catch (error) {
      leave();
      throw error;
    }
    if (this.#isClosed || this.#listeners.size === 0) this.#rest();
  }

  async #look(): Promise<void> {
    const names = [...this.#listeners.keys()];
    if (names.length === 0) return;
    const text = `SELECT session_id, last_seq FROM ${this.#database.tables.journals} WHERE session_id = ANY($1::text[])`;
    const { rows } = await this.#database.query({ doing: 'look for new entries', text, values: [names] });
    for (const row of rows) this.#tell(String(row.session_id), Number(row.last_seq));
  }

  #tell(name: string, lastSeq: Seq): void {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) listener(lastSeq);
  }

  #rest(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#leave?.();
  }
}
