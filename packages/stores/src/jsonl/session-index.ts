import { join } from 'node:path';
import {
  defaultSessions,
  listSessions,
  mostSessions,
  type SessionIndex,
  type SessionPatch,
  type SessionQuery,
  type SessionRecord,
} from '@varve/core';
import type { FileSystem } from './file-system.ts';
import type { IndexContent } from './index-content.ts';
import { IndexFile } from './index-file.ts';
import { findAgents, prepareAgent } from './journal-path.ts';
import type { FreePlaces } from './kept-file.ts';
import { createRepairReport, type RepairEvent } from './repair-report.ts';
import { storeError } from './store-error.ts';

/** What it takes to keep the records of a store. */
export interface SessionIndexOptions {
  readonly fileSystem: FileSystem;
  readonly root: string;
  readonly isSynced: boolean;
  readonly onRepair: ((event: RepairEvent) => void) | undefined;
  /** Throws when the store has been closed. */
  readonly assertOpen: () => void;
}

/** Indexes that are kept open between writes. */
const mostKept = 8;

/**
 * The records of all agents' sessions, each agent's in a file of its own. A record stays in the file where it was made,
 * beside its journal, whatever its `agentId` says later.
 */
export class JsonlSessionIndex implements SessionIndex {
  readonly #options: SessionIndexOptions;
  /** By the path of the file. */
  readonly #files = new Map<string, IndexFile>();
  /** The last change of each session: the next one waits for it. */
  readonly #turns = new Map<string, Promise<unknown>>();
  /** Agents whose folders are being made. */
  readonly #beginnings = new Map<string, Promise<IndexFile>>();
  readonly #places: FreePlaces = { count: mostKept };
  #nextAgents: Promise<readonly IndexFile[]> | null = null;

  constructor(options: SessionIndexOptions) {
    this.#options = options;
  }

  async get(sessionId: string): Promise<SessionRecord | null> {
    this.#options.assertOpen();
    const file = this.#knownFileOf(sessionId);
    const record = (await file?.look())?.get(sessionId) ?? (await this.#find(sessionId))?.record;
    return record === undefined ? null : structuredClone(record);
  }

  async put(
    sessionId: string,
    patch: SessionPatch,
    { expectedRev }: { readonly expectedRev: number },
  ): Promise<SessionRecord> {
    this.#options.assertOpen();
    // Taken at the call: what the caller changes later does not matter.
    const taken: SessionPatch = JSON.parse(JSON.stringify(patch));
    const before = this.#turns.get(sessionId);
    const change = async (): Promise<SessionRecord> => {
      await before;
      const file = this.#knownFileOf(sessionId) ?? (await this.#find(sessionId))?.file ?? (await this.#begin(taken));
      return file.put(sessionId, taken, expectedRev);
    };
    const result = change();
    const settled = result.then(
      () => {},
      () => {},
    );
    this.#turns.set(sessionId, settled);
    void settled.then(() => {
      if (this.#turns.get(sessionId) === settled) this.#turns.delete(sessionId);
    });
    return result;
  }

  async list(query?: SessionQuery): Promise<readonly SessionRecord[]> {
    this.#options.assertOpen();
    const contents = await Promise.all((await this.#agents()).map((file) => file.look()));
    if (query?.key !== undefined) return structuredClone(listSessions(ofKey(contents, query.key), query));
    const [only] = contents;
    const records = contents.length === 1 && only !== undefined ? only.records : newestOf(contents);
    return structuredClone(pageOf(records, query));
  }

  /** Removes the record of a session, wherever it is. @throws VARVE_STORE_IO, VARVE_STORE_LOCKED */
  async remove(sessionId: string): Promise<void> {
    for (const file of await this.#agents()) {
      if ((await file.look()).get(sessionId) !== undefined) await file.remove(sessionId);
    }
  }

  /** Resolves when every change is written or refused. */
  async idle(): Promise<void> {
    while (this.#turns.size > 0) await Promise.all(this.#turns.values());
    await Promise.all([...this.#files.values()].map((file) => file.idle()));
  }

  #knownFileOf(sessionId: string): IndexFile | undefined {
    for (const file of this.#files.values()) if (file.known(sessionId) !== undefined) return file;
    return undefined;
  }

  async #find(sessionId: string): Promise<{ readonly file: IndexFile; readonly record: SessionRecord } | null> {
    let newest: { readonly file: IndexFile; readonly record: SessionRecord } | null = null;
    const files = await this.#agents();
    const contents = await Promise.all(files.map((file) => file.look()));
    for (const [index, file] of files.entries()) {
      const record = contents[index]?.get(sessionId);
      if (record !== undefined && record.rev >= (newest?.record.rev ?? 0)) newest = { file, record };
    }
    return newest;
  }

  /** The index that a new record goes to. */
  #begin({ agentId = 'main' }: SessionPatch): Promise<IndexFile> {
    const beginning = this.#beginnings.get(agentId) ?? this.#prepare(agentId);
    this.#beginnings.set(agentId, beginning);
    return beginning.finally(() => this.#beginnings.delete(agentId));
  }

  async #prepare(agentId: string): Promise<IndexFile> {
    const { fileSystem, root, isSynced } = this.#options;
    try {
      return this.#fileIn(await prepareAgent(fileSystem, { root, agentId, isSynced }));
    } catch (error) {
      throw storeError(error, { doing: 'make an index in', file: root });
    }
  }

  #agents(): Promise<readonly IndexFile[]> {
    // All who ask in one turn of the event loop get what is found after it.
    this.#nextAgents ??= Promise.resolve().then(() => {
      this.#nextAgents = null;
      return this.#findAgents();
    });
    return this.#nextAgents;
  }

  async #findAgents(): Promise<readonly IndexFile[]> {
    const { fileSystem, root } = this.#options;
    try {
      return (await findAgents(fileSystem, root)).map((agent) => this.#fileIn(agent));
    } catch (error) {
      throw storeError(error, { doing: 'list the agents in', file: root });
    }
  }

  #fileIn({ folder, agentId }: { readonly folder: string; readonly agentId: string }): IndexFile {
    const path = join(folder, 'sessions.jsonl');
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    const { fileSystem, isSynced, onRepair } = this.#options;
    const report = createRepairReport({ sessionId: null, file: path }, onRepair);
    const file = new IndexFile({ fileSystem, file: path, agentId, isSynced, report, places: this.#places });
    this.#files.set(path, file);
    return file;
  }
}

/** Records that are looked at together. */
const stretch = 1_024;

/** A page of records that are in order, without looking at those behind it. */
function pageOf(records: readonly SessionRecord[], query: SessionQuery = {}): readonly SessionRecord[] {
  const limit = Math.min(query.limit ?? defaultSessions, mostSessions);
  const found: SessionRecord[] = [];
  for (let from = 0; from < records.length && found.length < limit; ) {
    let to = Math.min(from + stretch, records.length);
    // Those of one time are put in order together.
    while (to < records.length && records[to]?.updatedAt === records[to - 1]?.updatedAt) to += 1;
    found.push(...listSessions(records.slice(from, to), { ...query, limit: limit - found.length }));
    from = to;
  }
  return found;
}

/** The records of a key: what that costs does not grow with the sessions of other keys. */
function ofKey(contents: readonly IndexContent[], key: string): readonly SessionRecord[] {
  const ids = new Set(contents.flatMap((content) => content.ofKey(key).map(({ sessionId }) => sessionId)));
  return [...ids].flatMap((sessionId) => {
    const records = contents.flatMap((content) => content.get(sessionId) ?? []);
    return records.reduce((newest, record) => (record.rev > newest.rev ? record : newest));
  });
}

/** All agents' records, last updated first; of two for one session, which two processes began, that of more changes. */
function newestOf(contents: readonly { readonly records: readonly SessionRecord[] }[]): readonly SessionRecord[] {
  const newest = new Map<string, SessionRecord>();
  for (const { records } of contents) {
    for (const record of records) {
      const other = newest.get(record.sessionId);
      if (other === undefined || record.rev > other.rev) newest.set(record.sessionId, record);
    }
  }
  return [...newest.values()].sort((a, b) => b.updatedAt - a.updatedAt);
}
