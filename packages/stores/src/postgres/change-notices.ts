import type { Seq } from '@varve/core';
import type { Database } from './database.ts';

/** What all stores of a database listen to. */
export const channel = 'varve_journals';

/** A journal that has grown, as it is told. */
export interface ChangeNotice {
  readonly name: string;
  readonly lastSeq: Seq;
}

/** How long notices are gathered before they go out together. */
const gatherMs = 5;

/**
 * Tells other stores which journals have grown. It is a hint: it may be lost, and is sent beside the appends, not with
 * them, since the server lets transactions with a notice end only one after the other.
 */
export class ChangeNotices {
  readonly #database: Database;
  #gathered = new Map<string, Seq>();
  #sending: Promise<void> | null = null;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Notes that a journal has grown. Never throws. */
  add({ name, lastSeq }: ChangeNotice): void {
    this.#gathered.set(name, Math.max(lastSeq, this.#gathered.get(name) ?? 0));
    this.#sending ??= this.#send();
  }

  /** Resolves when all that was noted has been sent. */
  async idle(): Promise<void> {
    while (this.#sending !== null) await this.#sending;
  }

  async #send(): Promise<void> {
    await new Promise((resolve) => {
      setTimeout(resolve, gatherMs);
    });
    while (this.#gathered.size > 0) {
      const notices = [...this.#gathered].map((notice) => JSON.stringify([this.#database.tables.schema, ...notice]));
      this.#gathered = new Map();
      // A hint need not be on the disk.
      const text = `SELECT set_config('synchronous_commit', 'off', true), pg_notify('${channel}', notice)
FROM unnest($1::text[]) AS notice`;
      await this.#database.attempt({ text, values: [notices] }).catch(() => {});
    }
    this.#sending = null;
  }
}

/** The notice of a payload; `null` for one of another schema, or of somebody else. */
export function noticeOf(payload: string | undefined, schema: string | null): ChangeNotice | null {
  try {
    const [of, name, lastSeq] = JSON.parse(payload ?? '') as readonly unknown[];
    return of === schema && typeof name === 'string' && typeof lastSeq === 'number' ? { name, lastSeq } : null;
  } catch {
    return null;
  }
}
