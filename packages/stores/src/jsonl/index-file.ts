import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { patchRecord, type SessionPatch, type SessionRecord, VarveError } from '@varve/core';
import { existing } from './existing.ts';
import { appendTo, modes, type OpenFile, openFlags } from './file-system.ts';
import type { IndexContent } from './index-content.ts';
import { encodeRecord, type RecordLine } from './index-line.ts';
import { IndexSource, type IndexSourceOptions } from './index-source.ts';
import { syncFolder } from './journal-path.ts';
import { type FreePlaces, KeptFile } from './kept-file.ts';
import { storeError } from './store-error.ts';
import { waitForWriteLock } from './write-lock.ts';

/** What it takes to use the index of one agent. */
export interface IndexFileOptions extends IndexSourceOptions {
  /** Whether a change must survive a loss of power. */
  readonly isSynced: boolean;
  /** How many indexes may be kept open between writes. @default none */
  readonly places?: FreePlaces;
}

/** A change of a record that waits to be written. */
interface QueuedPut {
  readonly sessionId: string;
  readonly patch: SessionPatch;
  readonly expectedRev: number;
  readonly resolve: (record: SessionRecord) => void;
  readonly reject: (error: VarveError) => void;
}

/** How often a batch is written again when other processes are faster each time. */
const mostAttempts = 16;

/** How often the end of a rewrite is looked for before its lock is asked for, and after how many milliseconds. */
const looksForRewrite = 100;
const lookAgainMs = 2;

/**
 * The index of one agent's sessions. Several processes append to it at once: each looks afterwards whether its lines
 * stand where they count, and whether the file was rewritten meanwhile.
 *
 * A rewrite takes the lock, reads the file, and puts another in its place. Who appends looks for the lock behind the
 * write, and then for the file: had the lock not been taken by then, the rewrite reads the line; had it been given up
 * already, the file is another one.
 */
export class IndexFile {
  readonly #options: IndexFileOptions;
  /** Tells the lines of this writer from those of all others. */
  readonly #writer = randomUUID().slice(0, 8);
  readonly #source: IndexSource;
  readonly #kept: KeptFile;
  #waiting: QueuedPut[] = [];
  #turns: Promise<unknown> = Promise.resolve();
  #nextLook: Promise<IndexContent> | null = null;
  #writes = 0;
  /** Whether lines that do not count hold something that was taken back. */
  #mustRewrite = false;
  /** The number of the file whose name is known to survive a loss of power. */
  #namedFile: number | null = null;
  /** No rewrite for garbage before the file is as long, after one failed. */
  #rewriteFrom = 0;

  constructor(options: IndexFileOptions) {
    this.#options = options;
    this.#source = new IndexSource(options);
    const onUnused = (): void => void this.#inTurn(() => this.#kept.close());
    this.#kept = new KeptFile({ places: options.places ?? { count: 0 }, onUnused });
  }

  /** What the file says now. */
  look(): Promise<IndexContent> {
    // Whoever asks before a look begins gets what it finds.
    this.#nextLook ??= this.#inTurn(() => {
      this.#nextLook = null;
      return this.#look();
    });
    return this.#nextLook;
  }

  /** What the file said when it was last looked at. */
  known(sessionId: string): SessionRecord | undefined {
    return this.#source.content?.get(sessionId);
  }

  /**
   * Changes a record or makes it. All that wait are written together. One session must not wait twice at a time. A change
   * that takes a name back is refused while the name cannot be removed from older lines, though the record has it.
   *
   * @throws VARVE_STORE_CONFLICT, VARVE_STORE_IO, VARVE_STORE_LOCKED
   */
  put(sessionId: string, patch: SessionPatch, expectedRev: number): Promise<SessionRecord> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ sessionId, patch, expectedRev, resolve, reject });
      if (this.#waiting.length > 1) return;
      void this.#inTurn(async () => {
        const batch = this.#waiting;
        this.#waiting = [];
        await this.#writeAll(batch);
      });
    });
  }

  /**
   * Removes a record, from older lines, too. Who changes it at the same time is told of a conflict, or changed what goes.
   *
   * @throws VARVE_STORE_IO, VARVE_STORE_LOCKED
   */
  remove(sessionId: string): Promise<void> {
    return this.#inTurn(async () => {
      try {
        await this.#rewrite({ isForced: true, without: sessionId });
      } catch (error) {
        throw this.#errorOf(error, 'remove a record from');
      }
    });
  }

  /** Resolves when nothing waits to be written any more, and no file is open. */
  async idle(): Promise<void> {
    await this.#inTurn(() => this.#kept.close());
  }

  #inTurn<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.#turns.then(task);
    this.#turns = result.catch(() => {});
    return result;
  }

  async #look(): Promise<IndexContent> {
    try {
      return await this.#source.read();
    } catch (error) {
      throw this.#errorOf(error, 'read');
    }
  }

  async #writeAll(batch: readonly QueuedPut[]): Promise<void> {
    let left = batch;
    try {
      for (let attempt = 0; left.length > 0; attempt += 1) {
        if (attempt === mostAttempts) throw busyError(this.#options.file);
        left = await this.#write(left);
      }
    } catch (error) {
      this.#source.forget();
      await this.#kept.close();
      const failure = this.#errorOf(error, 'change');
      for (const { reject } of left) reject(failure);
      return;
    }
    const { content } = this.#source;
    if (content?.isMostlyGarbage === true && content.size >= this.#rewriteFrom) await this.#tryRewrite();
  }

  /** Writes a batch once, and gives back what is neither written nor refused. */
  async #write(batch: readonly QueuedPut[]): Promise<readonly QueuedPut[]> {
    const { fileSystem, file, isSynced } = this.#options;
    const content = await this.#readable();
    const by = `${this.#writer}-${(this.#writes++).toString(36)}`;
    const { lines, puts } = this.#linesOf(batch, { content, by });
    if (lines.length === 0) return [];
    const bytes = Buffer.concat([Buffer.from(content.lacksLineFeed ? '\n' : ''), ...lines.map(encodeRecord)]);
    const opened = await this.#fileOf(content);
    if (opened === null) return puts;
    const isKept = this.#kept.file === opened;
    try {
      const { ino } = fileSystem.fstatSync(opened.fd);
      await appendTo(opened, [bytes]);
      // The lock behind the write, and the file behind the lock: see the class.
      const [lock, named] = await Promise.all([
        existing(fileSystem.stat(`${file}.lock`)),
        existing(fileSystem.stat(file)),
        isSynced ? this.#sync(opened, ino) : null,
      ]);
      const facts = fileSystem.fstatSync(opened.fd);
      const isStill = facts.nlink > 0 && named?.ino === ino && facts.size === content.size + bytes.length;
      if (lock === null && isStill) {
        content.appended(lines, facts);
        await this.#settle(lines, puts);
        return [];
      }
      if (lock !== null) await this.#waitForRewrite(opened);
      return await this.#verify({ opened, content, by, lines, puts });
    } finally {
      if (!isKept) await opened.close();
    }
  }

  /** The file that was read, open for appending; `null` when it has changed since, or is another one. */
  async #fileOf(content: IndexContent): Promise<OpenFile | null> {
    const { fileSystem, file } = this.#options;
    const kept = this.#kept.file;
    if (kept !== null && this.#isCurrent(kept, content)) return kept;
    await this.#kept.close();
    const opened = await fileSystem.open(file, openFlags.append, modes.file);
    let wasRead = false;
    try {
      const found = fileSystem.fstatSync(opened.fd);
      if (content.isOf(found)) {
        wasRead = await content.isStartOf(opened, found);
        // Otherwise another file with the same number, size and time.
        if (!wasRead) this.#source.forget();
      }
    } finally {
      if (!wasRead) await opened.close();
    }
    if (!wasRead) return null;
    this.#kept.keep(opened);
    return opened;
  }

  /** While a file is open its number is not given to another one. */
  #isCurrent({ fd }: OpenFile, content: IndexContent): boolean {
    const facts = this.#options.fileSystem.fstatSync(fd);
    return facts.nlink > 0 && content.isOf(facts);
  }

  /** Whoever made the file may have been killed before its name was durable, as an empty one is not worth a sync. */
  async #sync(opened: OpenFile, ino: number): Promise<void> {
    const { fileSystem, file } = this.#options;
    await opened.datasync();
    if (this.#namedFile === ino) return;
    await syncFolder(fileSystem, dirname(file));
    this.#namedFile = ino;
  }

  /** Waits until a rewrite has put another file in the place of this one, or has ended without. */
  async #waitForRewrite(opened: OpenFile): Promise<void> {
    const { fileSystem, file } = this.#options;
    for (let look = 0; look < looksForRewrite; look += 1) {
      if (fileSystem.fstatSync(opened.fd).nlink === 0) return;
      await setTimeout(lookAgainMs);
      if ((await existing(fileSystem.stat(`${file}.lock`))) === null) return;
    }
    // It takes long, or whoever began it is gone.
    await (await waitForWriteLock(fileSystem, file)).release();
  }

  /** What the file says now, once it is whole and ends with a line feed. */
  async #readable(): Promise<IndexContent> {
    const known = this.#source.content;
    const isKnown = known !== null && this.#kept.file !== null && this.#isCurrent(this.#kept.file, known);
    const content = isKnown ? known : await this.#source.read();
    if (!content.isDamaged && !content.lacksLineFeed) return content;
    const isThere = content.size > 0;
    await this.#rewrite().catch((error: unknown) => {
      // Where there is no room for another file, a line may still fit: it stands behind a line feed of its own.
      if (!isThere) throw error;
    });
    return this.#source.read();
  }

  #linesOf(
    batch: readonly QueuedPut[],
    { content, by }: { readonly content: IndexContent; readonly by: string },
  ): { readonly lines: readonly RecordLine[]; readonly puts: readonly QueuedPut[] } {
    const lines: RecordLine[] = [];
    const puts: QueuedPut[] = [];
    for (const put of batch) {
      const { sessionId, patch, expectedRev } = put;
      try {
        const known = content.get(sessionId) ?? null;
        const record = patchRecord(known, patch, { sessionId, expectedRev });
        if (takesNameBack(known, record)) this.#mustRewrite = true;
        lines.push({ kind: 'record', record, by, after: [] });
        puts.push(put);
      } catch (error) {
        put.reject(this.#errorOf(error, 'change'));
      }
    }
    return { lines, puts };
  }

  /** Looks which lines of a write count, where others wrote at the same time: in their file, and in one made of it. */
  async #verify(write: {
    readonly opened: OpenFile;
    readonly content: IndexContent;
    readonly by: string;
    readonly lines: readonly RecordLine[];
    readonly puts: readonly QueuedPut[];
  }): Promise<readonly QueuedPut[]> {
    const { opened, content, by, lines, puts } = write;
    const ends = new Map<string, number>();
    await content.read(opened, this.#options.fileSystem.fstatSync(opened.fd), ({ record, by: writer }, end) => {
      if (writer === by) ends.set(record.sessionId, end);
    });
    const now = await this.#source.read();
    const isDone = ({ sessionId }: { readonly sessionId: string }): boolean => {
      const end = ends.get(sessionId);
      if (end === undefined) return false;
      // The last: when the file was rewritten twice meanwhile.
      return now === content || now.isMadeOf(content, end) || now.isBy(sessionId, by);
    };
    await this.#settle(
      lines.filter(({ record }) => isDone(record)),
      puts.filter(isDone),
    );
    return puts.filter((put) => !isDone(put));
  }

  async #settle(lines: readonly RecordLine[], puts: readonly QueuedPut[]): Promise<void> {
    // Before anybody is told that the name is gone, it is gone from older lines too.
    const failure = this.#mustRewrite ? await this.#tryRewrite() : null;
    for (const [index, { patch, resolve, reject }] of puts.entries()) {
      const record = lines[index]?.record;
      if (record === undefined) continue;
      if (failure !== null && record.rev > 1 && clearsName(patch)) reject(this.#errorOf(failure, 'clear names from'));
      else resolve(structuredClone(record));
    }
  }

  /** Gives what went wrong, or `null`. */
  async #tryRewrite(): Promise<unknown> {
    try {
      await this.#rewrite();
      this.#rewriteFrom = 0;
      return null;
    } catch (error) {
      // The file is as good as before, only longer.
      this.#rewriteFrom = 2 * (this.#source.content?.size ?? 0);
      return error;
    }
  }

  async #rewrite(how: Partial<Parameters<IndexSource['rewrite']>[0]> = {}): Promise<void> {
    await this.#kept.close();
    await this.#source.rewrite({ isForced: this.#mustRewrite, ...how });
    this.#mustRewrite = false;
  }

  #errorOf(error: unknown, doing: string): VarveError {
    return storeError(error, { doing, file: this.#options.file });
  }
}

/** Whether a name is not to be known any more; where it changes, nobody minds the old one. */
function takesNameBack(before: SessionRecord | null, { label, displayName }: SessionRecord): boolean {
  if (before === null) return false;
  return (label === null && before.label !== null) || (displayName === null && before.displayName !== null);
}

/** Whoever asks for this again, as the rewrite failed before, is told again until it is done. */
function clearsName({ label, displayName }: SessionPatch): boolean {
  return label === null || displayName === null;
}

function busyError(file: string): VarveError {
  return new VarveError('VARVE_STORE_CONFLICT', `"${dirname(file)}": other processes changed the index each time.`, {
    fix: 'Try again.',
    details: { file },
  });
}
