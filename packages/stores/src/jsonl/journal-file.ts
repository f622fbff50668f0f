import { dirname } from 'node:path';
import { type JournalHeader, VarveError } from '@varve/core';
import type { ReadingFiles } from './archive/reading-files.ts';
import type { PlacedLines } from './encoded-append.ts';
import { appendNow, appendTo, type FileSystem, modes, type OpenFile, openFlags } from './file-system.ts';
import { findEnd, type JournalEnd } from './journal-end.ts';
import { readHeader } from './journal-header.ts';
import { type JournalPath, syncFolder } from './journal-path.ts';
import { repairEnd } from './journal-repair.ts';
import { discardReplacement, type Replacement, replacementFileOf } from './journal-replacement.ts';
import { type Line, readLineAt } from './line-reader.ts';
import { quarantineFileOf } from './quarantine.ts';
import type { ReportRepair } from './repair-report.ts';
import type { SearchOptions } from './seq-locator.ts';
import { SharedFile } from './shared-file.ts';
import type { WriteLock } from './write-lock.ts';

/** What it takes to open the file of a journal. */
export interface JournalFileOptions {
  readonly fileSystem: FileSystem;
  /** What the file is opened and looked at with. @default fileSystem */
  readonly files?: ReadingFiles | undefined;
  readonly path: JournalPath;
  readonly sessionId: string;
  /** Whether the file was there before it was opened. */
  readonly isFound: boolean;
  /** Header of a journal that is begun. */
  readonly create: JournalHeader | undefined;
  /** Takes the lock; absent for reading only. */
  readonly takeLock: (() => Promise<WriteLock>) | undefined;
  /** Whether a write must survive a loss of power. */
  readonly isSynced: boolean;
  readonly report: ReportRepair;
}

/** What may be read of the file now. */
interface JournalView extends JournalEnd {
  readonly shared: SharedFile;
}

interface State extends JournalView {
  /** The file's length as it was last seen; longer than `end` when an append was not finished. */
  readonly size: number;
}

/**
 * For so many milliseconds a file is trusted to be as it was left, if nothing is synced: asking would take as long as
 * writing. Lines are only ever appended, so what a foreign writer put there meanwhile is not written over.
 */
const checkedFor = 1;

/** More is written off the main thread even when nothing is synced. */
const longWrite = 1_048_576;

/**
 * The file of one journal: knows where its readable part ends, writes behind it, and finds out when somebody else did.
 * After a failed write the file is closed; the next use opens it again.
 */
export class JournalFile {
  readonly options: JournalFileOptions;
  readonly #files: ReadingFiles;
  #state: State | null = null;
  #opening: Promise<State> | null = null;
  #closing: Promise<void> = Promise.resolve();
  #lock: WriteLock | null = null;
  #header: JournalHeader | null = null;
  /** Where the acknowledged part ended when a write failed. What lies behind was reported as not appended. */
  #acknowledged: JournalEnd | null = null;
  #checkedAt = Number.NEGATIVE_INFINITY;
  /** Whether bytes behind the end are ours. */
  #isWriting = false;
  /** Whether a loss of power could still bring another file back in the place of this one. */
  #isNameUnsynced = false;
  /** Whether a process that is gone may have left entries, or the file itself, that were not synced. */
  #isInheritanceUnsynced = false;

  constructor(options: JournalFileOptions) {
    this.options = options;
    this.#files = options.files ?? options.fileSystem;
  }

  /** The header; the file must have been opened. */
  get header(): JournalHeader {
    if (this.#header !== null) return this.#header;
    throw new VarveError('VARVE_STORE_CLOSED', `The journal "${this.options.path.file}" has not been opened.`, {
      fix: 'Open it first.',
    });
  }

  /** Takes the lock, opens the file, and cuts what an unfinished append left, when it is opened for writing. */
  async open(): Promise<void> {
    try {
      await this.openForWriting();
      await this.view();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Makes sure that the file can be appended to. Does nothing when it can. */
  async openForWriting(): Promise<void> {
    const { takeLock } = this.options;
    if (takeLock === undefined) return;
    let discarded: Promise<void> | undefined;
    if (this.#lock?.isHeld !== true) {
      this.#lock = await takeLock();
      this.#isInheritanceUnsynced = this.options.isSynced && this.#lock.isInherited;
      // Whoever held it meanwhile may have written, or left a file that did not come to replace this one.
      await this.forget();
      discarded = this.options.fileSystem
        .rm(replacementFileOf(this.options.path.file), { force: true })
        .catch(() => {});
    }
    const state = await this.#opened().finally(() => discarded);
    const isWhole = state.size === state.end && state.end > 0 && !state.lacksLineFeed;
    if (isWhole && !this.#isInheritanceUnsynced && !this.#isNameUnsynced) return;
    try {
      if (this.#isInheritanceUnsynced) await this.#syncInheritance(state);
      if (this.#isNameUnsynced) await this.#syncName();
      if (!isWhole) await this.#repair(state);
    } catch (error) {
      // Not to be synced again: what a failed sync has dropped, the next one does not miss.
      await this.#closeFile();
      throw error;
    }
  }

  /** The part of the file that may be read now. Entries that are being appended are not in it. */
  async view(): Promise<JournalView> {
    const state = await this.#opened();
    if (this.#lock?.isHeld === true) return state;
    const { shared } = state;
    const { size, nlink } = this.#files.fstatSync(shared.file.fd);
    if (nlink === 0) {
      // Another file took its place.
      if (this.#state === state) await this.#closeFile();
      return this.#opened();
    }
    if (size === state.size && size === state.end) return state;
    if (size < state.end) shared.index.clear();
    const found = { shared, size, ...(await findEnd(shared.file, size)) };
    if (this.#state === state) this.#state = found;
    return found;
  }

  /** Runs a read on what the file holds now. Neither a failed write nor a file that replaces this one ends it. */
  async read<Result>(read: (file: OpenFile, options: SearchOptions) => Promise<Result>): Promise<Result> {
    const { shared, search } = await this.lease();
    try {
      return await read(shared.file, search);
    } finally {
      await shared.leave();
    }
  }

  /** What the file holds now, to be read until `shared.leave()` is called. */
  async lease(): Promise<{ readonly shared: SharedFile; readonly search: SearchOptions }> {
    for (;;) {
      const { shared, end, lastSeq, newest } = await this.view();
      const { index } = shared;
      if (shared.enter()) return { shared, search: { end, lastSeq, newest, index, report: this.options.report } };
    }
  }

  /** Where the next line will begin; `null` when the file must be opened first. */
  get end(): number | null {
    return this.#state?.end ?? null;
  }

  /**
   * Appends lines; durable, as far as asked for, when it returns or resolves. Short writes that are not synced are done
   * at once.
   */
  append(placed: PlacedLines): Promise<void> | undefined {
    const { fileSystem, isSynced } = this.options;
    const { shared } = this.#writable();
    const { file } = shared;
    this.#isWriting = true;
    if (isSynced || placed.end - placed.start > longWrite) {
      return this.#appendTo(file, placed.lines).then(() => this.#appended(shared, placed));
    }
    appendNow(fileSystem, file.fd, placed.lines);
    this.#appended(shared, placed);
    return undefined;
  }

  #appended(shared: SharedFile, { end, lastSeq, firstSeq, offsets }: PlacedLines): void {
    this.#isWriting = false;
    this.#state = { shared, end, size: end, lastSeq, lacksLineFeed: false };
    for (let index = 0; index < offsets.length; index += 1) {
      shared.index.note({ seq: firstSeq + index, offset: offsets[index] ?? 0 });
    }
  }

  async #appendTo(file: OpenFile, lines: readonly Buffer[]): Promise<void> {
    await appendTo(file, lines);
    if (this.options.isSynced) await file.datasync();
  }

  /**
   * Puts a new file in the place of this one, and goes on with it. What quarantine holds of the old one goes with it.
   * Whatever fails, the new file is removed, or has taken the place.
   */
  async replaceBy(replacement: Replacement): Promise<void> {
    const { fileSystem, path } = this.options;
    let replaced: State;
    try {
      this.#writable();
      await fileSystem.rm(quarantineFileOf(path.file), { force: true });
      replaced = this.#writable();
      await fileSystem.rename(replacement.path, path.file);
    } catch (error) {
      await discardReplacement(fileSystem, replacement);
      throw error;
    }
    const { file, index, end, lastSeq } = replacement;
    this.#state = { shared: new SharedFile(file, index), end, size: end, lastSeq, lacksLineFeed: false };
    this.#isNameUnsynced = true;
    await replaced.shared.retire();
    await this.#syncName();
  }

  /** What is read from now on is taken for durable: a message that is there is not stored again. */
  async #syncInheritance({ shared }: State): Promise<void> {
    await shared.file.datasync();
    await this.#syncName();
    this.#isInheritanceUnsynced = false;
  }

  async #syncName(): Promise<void> {
    await syncFolder(this.options.fileSystem, dirname(this.options.path.file));
    this.#isNameUnsynced = false;
  }

  /** Takes back what a failed append left behind the end: its entries were reported as not appended. */
  async withdraw(): Promise<void> {
    const state = this.#state;
    if (state === null || !this.#isWriting) return this.forget();
    this.#isWriting = false;
    const { end, lastSeq, lacksLineFeed } = state;
    this.#acknowledged = { end, lastSeq, lacksLineFeed };
    // It makes room on a full disk. Where it fails, the next use puts the bytes into quarantine and cuts them.
    const cut = this.#lock?.isHeld === true ? state.shared.file.truncate(end).catch(() => {}) : Promise.resolve();
    await this.#closeFile(cut);
  }

  /** Lets go of the file and of all that is known about it. */
  async forget(): Promise<void> {
    this.#isWriting = false;
    this.#acknowledged = null;
    await this.#closeFile();
  }

  /** Closes the file and gives the lock up. Never rejects. */
  async close(): Promise<void> {
    await this.#closeFile();
    await this.#lock?.release();
    this.#lock = null;
  }

  /** @throws VARVE_STORE_CONFLICT  when the file is not as it was left. */
  #writable(): State {
    const { path, isSynced } = this.options;
    const state = this.#state;
    if (state !== null && this.#lock?.isHeld === true) {
      const now = performance.now();
      if (!isSynced && now - this.#checkedAt < checkedFor) return state;
      this.#checkedAt = now;
      const { size, nlink } = this.#files.fstatSync(state.shared.file.fd);
      // Without a link the file was deleted or replaced, and what is written to it is lost.
      if (size === state.size && nlink > 0) return state;
    }
    throw new VarveError('VARVE_STORE_CONFLICT', `"${path.file}" is not as it was left: somebody else wrote to it.`, {
      fix: 'Read the journal again and repeat the append. Let one process at a time write to a journal.',
      details: { file: path.file },
    });
  }

  /** The file, opened again if it had to be closed. */
  async #opened(): Promise<State> {
    if (this.#state !== null) return this.#state;
    this.#opening ??= this.#openFile().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async #openFile(): Promise<State> {
    const { path, create, isFound, takeLock, report } = this.options;
    const isBegun = create !== undefined && this.#header === null;
    const flags = takeLock === undefined ? openFlags.read : isBegun ? openFlags.create : openFlags.append;
    await this.#closing;
    const file = await this.#files.open(path.file, flags, modes.file);
    try {
      const { size } = this.#files.fstatSync(file.fd);
      const isEmptied = size === 0 && isFound && create !== undefined;
      if (isEmptied) report({ kind: 'empty-file', offset: 0, length: 0 });
      const known = this.#lock?.isHeld === true ? this.#acknowledged : null;
      const [end, first] = await Promise.all([
        known !== null && known.end <= size ? known : findEnd(file, size),
        this.#header === null ? readLineAt(file, { offset: 0, end: size }) : null,
      ]);
      this.#header ??= await this.#readHeader(file, { end: end.end, first });
      this.#state = { shared: new SharedFile(file), size, ...end };
      return this.#state;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async #readHeader(
    file: OpenFile,
    { end, first }: { readonly end: number; readonly first: Line | null },
  ): Promise<JournalHeader> {
    const { sessionId, path, create, report } = this.options;
    if (end === 0 && create !== undefined) return { ...create };
    return readHeader(file, { sessionId, agentId: path.agentId, end, first, report });
  }

  /** Moves what is behind the end into quarantine, and makes the file end with a whole line. */
  async #repair(state: State): Promise<void> {
    const { fileSystem, path, report, isSynced } = this.options;
    const { shared } = state;
    const { header } = this;
    const found = await repairEnd(shared.file, state, { fileSystem, path: path.file, header, report });
    if (isSynced) await shared.file.datasync();
    if (state.end === 0 && isSynced) await this.#syncName();
    this.#acknowledged = null;
    this.#state = { shared, size: found.end, ...found };
  }

  /** Closes the file once `last` has settled. Opening it again waits for that. */
  async #closeFile(last: Promise<void> = Promise.resolve()): Promise<void> {
    const shared = this.#state?.shared;
    this.#state = null;
    if (shared === undefined) return this.#closing;
    this.#closing = last.then(() => shared.retire());
    await this.#closing;
  }
}
