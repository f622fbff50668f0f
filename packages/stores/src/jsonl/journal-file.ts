import { dirname } from 'node:path';
import { type JournalHeader, VarveError } from '@varve/core';
import type { PlacedLines } from './encoded-append.ts';
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
  readonly index: SeqIndex = createSeqIndex();
  readonly options: JournalFileOptions;
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

  constructor(options: JournalFileOptions) {
    this.options = options;
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
    if (this.#lock?.isHeld !== true) {
      this.#lock = await takeLock();
      // Whoever held it meanwhile may have written.
      await this.forget();
    }
    const state = await this.#opened();
    if (state.size === state.end && state.end > 0 && !state.lacksLineFeed) return;
    try {
      await this.#repair(state);
    } catch (error) {
      await this.#closeFile();
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
    const { file } = this.#writable();
    this.#isWriting = true;
    if (isSynced || placed.end - placed.start > longWrite) {
      return this.#appendTo(file, placed.lines).then(() => this.#appended(file, placed));
    }
    appendNow(fileSystem, file.fd, placed.lines);
    this.#appended(file, placed);
    return undefined;
  }

  #appended(file: OpenFile, { end, lastSeq, firstSeq, offsets }: PlacedLines): void {
    this.#isWriting = false;
    this.#state = { file, end, size: end, lastSeq, lacksLineFeed: false };
    for (let index = 0; index < offsets.length; index += 1) {
      this.index.note({ seq: firstSeq + index, offset: offsets[index] ?? 0 });
    }
  }

  async #appendTo(file: OpenFile, lines: readonly Buffer[]): Promise<void> {
    await appendTo(file, lines);
    if (this.options.isSynced) await file.datasync();
  }

  /** Takes back what a failed append left behind the end: its entries were reported as not appended. */
  async withdraw(): Promise<void> {
    const state = this.#state;
    if (state === null || !this.#isWriting) return this.forget();
    this.#isWriting = false;
    const { end, lastSeq, lacksLineFeed } = state;
    this.#acknowledged = { end, lastSeq, lacksLineFeed };
    // It makes room on a full disk. Where it fails, the next use puts the bytes into quarantine and cuts them.
    const cut = this.#lock?.isHeld === true ? state.file.truncate(end).catch(() => {}) : Promise.resolve();
    await this.#closeFile(cut);
  }

  /** Lets go of the file and of all that is known about it. */
  async forget(): Promise<void> {
    this.#isWriting = false;
    this.#acknowledged = null;
    this.index.clear();
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
    const { fileSystem, path, isSynced } = this.options;
    const state = this.#state;
    if (state !== null && this.#lock?.isHeld === true) {
      const now = performance.now();
      if (!isSynced && now - this.#checkedAt < checkedFor) return state;
      this.#checkedAt = now;
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
    await this.#closing;
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

  /** Closes the file once `last` has settled. Opening it again waits for that. */
  async #closeFile(last: Promise<void> = Promise.resolve()): Promise<void> {
    const file = this.#state?.file;
    this.#state = null;
    if (file === undefined) return this.#closing;
    // The file is let go of in any case; what its close has to say changes nothing.
    this.#closing = last.then(() => file.close().catch(() => {}));
    await this.#closing;
  }
}
