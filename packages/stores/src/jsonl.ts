import { type Journal, type JournalArchives, type JournalHeader, type Store, VarveError } from '@varve/core';
import { AppendQueue } from './jsonl/append-queue.ts';
import { type BroughtBack, bringBack } from './jsonl/archive/bring-back.ts';
import { journalArchives } from './jsonl/archive/journal-archives.ts';
import { readingFiles } from './jsonl/archive/reading-files.ts';
import { type FileSystem, nodeFileSystem } from './jsonl/file-system.ts';
import { JournalFile } from './jsonl/journal-file.ts';
import { findJournal, type JournalPath, prepareJournal } from './jsonl/journal-path.ts';
import { createJournal, type JournalParts } from './jsonl/jsonl-journal.ts';
import { removeSession } from './jsonl/remove-session.ts';
import { createRepairReport, type RepairEvent } from './jsonl/repair-report.ts';
import { JsonlSessionIndex } from './jsonl/session-index.ts';
import { storeError } from './jsonl/store-error.ts';
import { takeWriteLock, type WriteLock } from './jsonl/write-lock.ts';

export { type ExamineStoreOptions, examineStore } from './jsonl/examine-store.ts';
export type { FileFacts, FileSystem, OpenFile } from './jsonl/file-system.ts';
export { type RepairStoreOptions, repairStore, type StoreRepair } from './jsonl/repair/repair-store.ts';
export type { RepairEvent } from './jsonl/repair-report.ts';
export type { FindingRepair, StoreFinding } from './jsonl/store-finding.ts';

/** How and where journals are kept. */
export interface JsonlStoreOptions {
  /** The folder of the store; made when it is not there. It may be a symbolic link, nothing in it may leave it. */
  readonly root: string;
  /**
   * What an append survives when it has resolved: `fsync` a loss of power, `os` a crash of this process.
   *
   * @default 'fsync'
   */
  readonly durability?: 'fsync' | 'os';
  /** Told of damage that was found and what became of it. What it throws is ignored. */
  readonly onRepair?: (event: RepairEvent) => void;
  /**
   * The file system, for tests that make it fail.
   *
   * @internal
   */
  readonly fileSystem?: FileSystem;
}

/**
 * Keeps each journal in a file of JSON lines, `<root>/agents/<agentId>/sessions/<sessionId>.jsonl`.
 *
 * One process at a time writes to a journal, any number read it. A journal that is opened several times from one store
 * is shared: its writers line up, and `expectedSeq` tells them apart.
 */
export function jsonlStore(options: JsonlStoreOptions): Store {
  return new JsonlStore(options);
}

/** The one writer of a journal in this store, and how many opened it. */
interface Writer {
  readonly file: JournalFile;
  readonly queue: AppendQueue;
  users: number;
}

class JsonlStore implements Store {
  readonly supports = { multiProcess: 'by-session', archives: 'compressed' } as const;
  readonly sessions: JsonlSessionIndex;
  readonly archives: JournalArchives;
  readonly remove: NonNullable<Store['remove']>;
  readonly #options: JsonlStoreOptions;
  readonly #fileSystem: FileSystem;
  readonly #isSynced: boolean;
  readonly #writers = new Map<string, Writer>();
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #journals = new Set<Journal>();
  #disposing: Promise<void> | null = null;

  constructor(options: JsonlStoreOptions) {
    this.#options = options;
    this.#fileSystem = options.fileSystem ?? nodeFileSystem;
    this.#isSynced = options.durability !== 'os';
    this.sessions = new JsonlSessionIndex({
      fileSystem: this.#fileSystem,
      root: options.root,
      isSynced: this.#isSynced,
      onRepair: options.onRepair,
      assertOpen: () => this.#assertOpen(),
    });
    const place = { fileSystem: this.#fileSystem, root: options.root };
    const missing = (sessionId: string): VarveError => missingError(sessionId, options.root);
    this.archives = journalArchives({
      ...place,
      assertOpen: () => this.#assertOpen(),
      writableFile: (path, sessionId) => this.#fileAt(path, { sessionId, create: undefined }),
      inTurn: async (sessionId, task) => {
        this.#assertOpen();
        return this.#inTurn(sessionId, task);
      },
      missing,
    });
    this.remove = async (sessionId, { expectedRev }) => {
      this.#assertOpen();
      const parts = { ...place, sessions: this.sessions, missing };
      try {
        await this.#inTurn(sessionId, () => removeSession(parts, { sessionId, expectedRev }));
      } catch (error) {
        throw storeError(error, { doing: 'remove a session of', file: options.root });
      }
    };
  }

  async open(
    sessionId: string,
    { create, readOnly = false }: { readonly create?: JournalHeader; readonly readOnly?: boolean } = {},
  ): Promise<Journal> {
    this.#assertOpen();
    try {
      const journal = readOnly
        ? await this.#openReader(sessionId, create?.agentId)
        : await this.#inTurn(sessionId, () => this.#openWriter(sessionId, create));
      this.#journals.add(journal);
      if (this.#disposing !== null) await journal.close();
      this.#assertOpen();
      return journal;
    } catch (error) {
      throw storeError(error, { doing: 'open a journal in', file: this.#options.root });
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    const journals = [...this.#journals].map((journal) => journal.close());
    this.#disposing ??= Promise.all([...journals, this.sessions.idle()]).then(() => {});
    return this.#disposing;
  }

  async #openReader(sessionId: string, agentId: string | undefined): Promise<Journal> {
    const { root } = this.#options;
    const path = await findJournal(this.#fileSystem, { root, sessionId, agentId });
    if (path === null) throw missingError(sessionId, root);
    const file = this.#fileAt(path, { sessionId });
    await file.open();
    return this.#journalOf({ file, queue: undefined, onClose: () => file.close() });
  }

  async #openWriter(sessionId: string, create: JournalHeader | undefined): Promise<Journal> {
    const writer = this.#writers.get(sessionId) ?? (await this.#startWriter(sessionId, create));
    this.#writers.set(sessionId, writer);
    writer.users += 1;
    const leave = async (): Promise<void> => {
      writer.users -= 1;
      if (writer.users > 0) return;
      this.#writers.delete(sessionId);
      try {
        await writer.queue.idle();
      } finally {
        await writer.file.close();
      }
    };
    return this.#journalOf({ ...writer, onClose: () => this.#inTurn(sessionId, leave) });
  }

  async #startWriter(sessionId: string, create: JournalHeader | undefined): Promise<Writer> {
    const { root } = this.#options;
    const place = { root, sessionId, agentId: create?.agentId, isSynced: this.#isSynced };
    const found = await findJournal(this.#fileSystem, place);
    if (found === null && create === undefined) throw missingError(sessionId, root);
    const path = found ?? (await prepareJournal(this.#fileSystem, place));
    const file = this.#fileAt(path, { sessionId, create, isFound: found !== null });
    await file.open();
    const { lastSeq } = await file.view();
    return { file, queue: new AppendQueue(file, lastSeq), users: 0 };
  }

  #fileAt(
    path: JournalPath,
    journal: {
      readonly sessionId: string;
      readonly create?: JournalHeader | undefined;
      readonly isFound?: boolean;
    },
  ): JournalFile {
    const { sessionId, create, isFound = true } = journal;
    const fileSystem = this.#fileSystem;
    const { file } = path;
    const report = createRepairReport({ sessionId, file }, this.#options.onRepair);
    const isWriter = 'create' in journal;
    return new JournalFile({
      fileSystem,
      files: isWriter ? fileSystem : readingFiles(fileSystem, report),
      path,
      sessionId,
      isFound,
      create: create === undefined ? undefined : { ...create, sessionId },
      takeLock: isWriter ? () => takeLock({ fileSystem, file, report }) : undefined,
      isSynced: this.#isSynced,
      report,
    });
  }

  #journalOf(parts: JournalParts): Journal {
    const journal = createJournal({
      ...parts,
      onClose: async () => {
        this.#journals.delete(journal);
        await parts.onClose();
      },
    });
    return journal;
  }

  /** Opening and closing of one session happen one after the other, so that a lock is free before it is taken again. */
  #inTurn<Result>(sessionId: string, task: () => Promise<Result>): Promise<Result> {
    const before = this.#turns.get(sessionId) ?? Promise.resolve();
    const result = before.then(task);
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

  #assertOpen(): void {
    if (this.#disposing === null) return;
    throw new VarveError(
      'VARVE_STORE_CLOSED',
      `The store in "${this.#options.root}" was used after it had been closed.`,
      {
        fix: 'Make a new store.',
        details: { root: this.#options.root },
      },
    );
  }
}

/** Takes the lock of a journal. Whoever has it finds the journal in its place, and no archive. */
async function takeLock(journal: BroughtBack): Promise<WriteLock> {
  const lock = await takeWriteLock(journal.fileSystem, journal.file);
  try {
    await bringBack(journal);
    return lock;
  } catch (error) {
    await lock.release();
    throw error;
  }
}

function missingError(sessionId: string, root: string): VarveError {
  return new VarveError('VARVE_STORE_MISSING', `There is no journal of session "${sessionId}" in "${root}".`, {
    fix: 'Check the session id and the root, or pass `create` with a header to begin a journal.',
    details: { sessionId, root },
  });
}
