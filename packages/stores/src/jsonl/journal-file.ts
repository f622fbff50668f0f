import { dirname } from 'node:path';
import { type JournalHeader, type Seq, VarveError } from '@varve/core';
import { appendNow, appendTo, type FileSystem, modes, type OpenFile, openFlags } from './file-system.ts';
import { findEnd, type JournalEnd } from './journal-end.ts';
import { readHeader } from './journal-header.ts';
import { encodeHeader } from './journal-line.ts';
import { type JournalPath, syncFolder } from './journal-path.ts';
import { quarantine } from './quarantine.ts';
import type { ReportRepair } from './repair-report.ts';
import { createSeqIndex, type SeqIndex } from './seq-index.ts';
import type { WriteLock } from './write-lock.ts';

/** What it takes to open the file of a journal. */
export interface JournalFileOptions {
  readonly fileSystem: FileSystem;
  readonly path: JournalPath;
  readonly sessionId: string;
  /** Header of a journal that is begun. */
  readonly create: JournalHeader | undefined;
  /** Takes the lock; absent for reading only. */
  readonly takeLock: (() => Promise<WriteLock>) | undefined;
  /** Whether a write must survive a loss of power. */
  readonly isSynced: boolean;
  readonly report: ReportRepair;
}

/** What may be read of the file now. */
export interface JournalView extends JournalEnd {
  readonly file: OpenFile;
}

interface State extends JournalView {
  /** The file's length as it was last seen; longer than `end` when an append was not finished. */
  readonly size: number;
}

/** More is written off the main thread even when nothing is synced. */
const longWrite = 1_048_576;

/**
 * The file of one journal: knows where its readable part ends, writes behind it, and finds out when somebody else did.
 * After a failed write the file is closed; the next use opens it again.
 */
export class JournalFile {
  readonly index: SeqIndex = createSeqIndex();
  readonly options: JournalFileOptions;
  #state: State | null = null;
  #opening: Promise<State> | null = null;
  #lock: WriteLock | null = null;
  #header: JournalHeader | null = null;
  /** Where the acknowledged part ended when a write failed. What lies behind was reported as not appended. */
  #acknowledged: JournalEnd | null = null;

  constructor(options: JournalFileOptions) {
    this.options = options;
  }

  /** The header; the file must have been opened. */
  get header(): JournalHeader {
    if (this.#header === null) throw new Error('The journal has not been opened.');
    return this.#header;
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
    if (this.#lock?.isHeld !== true) {
      this.#lock = await takeLock();
      // Whoever held it meanwhile may have written.
      await this.abandon('conflict');
    }
    const state = await this.#opened();
    if (state.size === state.end && state.end > 0 && !state.lacksLineFeed) return;
    try {
      await this.#repair(state);
    } catch (error) {
      await this.abandon('io');
      throw error;
    }
  }

  /** The part of the file that may be read now. Entries that are being appended are not in it. */
  async view(): Promise<JournalView> {
    const state = await this.#opened();
    if (this.#lock?.isHeld === true) return state;
    const { size } = this.options.fileSystem.fstatSync(state.file.fd);
    if (size === state.size && size === state.end) return state;
    if (size < state.end) this.index.clear();
    this.#state = { file: state.file, size, ...(await findEnd(state.file, size)) };
    return this.#state;
  }

  /** Appends whole lines; durable, as far as asked for, when it resolves. */
  async append(lines: readonly Buffer[], lastSeq: Seq): Promise<void> {
    const { fileSystem, isSynced } = this.options;
    const state = this.#writable();
    const { file, end } = state;
    const length = lines.reduce((sum, line) => sum + line.length, 0);
    if (isSynced || length > longWrite) await appendTo(file, lines);
    else appendNow(fileSystem, file.fd, lines);
    if (isSynced) await file.datasync();
    this.#state = { file, end: end + length, size: end + length, lastSeq, lacksLineFeed: false };
  }

  /** Lets go of the file after a write has failed: whatever that left is cut before the next one. */
  async abandon(reason: 'io' | 'conflict'): Promise<void> {
    const { end, lastSeq, lacksLineFeed } = this.#state ?? { end: 0, lastSeq: 0, lacksLineFeed: false };
    this.#acknowledged = reason === 'io' ? { end, lastSeq, lacksLineFeed } : null;
    if (reason === 'conflict') this.index.clear();
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
    const { fileSystem, path } = this.options;
    const state = this.#state;
    if (state !== null && this.#lock?.isHeld === true) {
      const { size, nlink } = fileSystem.fstatSync(state.file.fd);
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
    const { fileSystem, path, create, takeLock } = this.options;
    const isBegun = create !== undefined && this.#header === null;
    const flags = takeLock === undefined ? openFlags.read : isBegun ? openFlags.create : openFlags.append;
    const file = await fileSystem.open(path.file, flags, modes.file);
    try {
      const { size } = fileSystem.fstatSync(file.fd);
      const known = this.#lock?.isHeld === true ? this.#acknowledged : null;
      const end = known !== null && known.end <= size ? known : await findEnd(file, size);
      this.#header ??= await this.#readHeader(file, end.end);
      this.#state = { file, size, ...end };
      return this.#state;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async #readHeader(file: OpenFile, end: number): Promise<JournalHeader> {
    const { sessionId, path, create, report } = this.options;
    if (end === 0 && create !== undefined) return { ...create };
    return readHeader(file, { sessionId, agentId: path.agentId, end, report });
  }

  /** Moves what is behind the end into quarantine, and makes the file end with a whole line. */
  async #repair(state: State): Promise<void> {
    const { fileSystem, path, report, isSynced } = this.options;
    const { file, size } = state;
    let { end } = state;
    if (size > end) {
      const target = await quarantine(fileSystem, { file: path.file, source: file, from: end, to: size });
      await file.truncate(end);
      report({ kind: 'torn-tail', offset: end, length: size - end, quarantine: target });
    }
    if (state.lacksLineFeed) report({ kind: 'missing-line-feed', offset: end, length: 0 });
    const missing = end === 0 ? encodeHeader(this.header) : Buffer.from(state.lacksLineFeed ? '\n' : '');
    if (missing.length > 0) await appendTo(file, [missing]);
    if (isSynced) await file.datasync();
    if (end === 0 && isSynced) await syncFolder(fileSystem, dirname(path.file));
    end += missing.length;
    this.#acknowledged = null;
    this.#state = { file, end, size: end, lastSeq: state.lastSeq, lacksLineFeed: false };
  }

  async #closeFile(): Promise<void> {
    const file = this.#state?.file;
    this.#state = null;
    // The file is let go of in any case; what its close has to say changes nothing.
    await file?.close().catch(() => {});
  }
}
