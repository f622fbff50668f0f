import { setTimeout } from 'node:timers/promises';
import { existing } from './existing.ts';
import { type FileFacts, type FileSystem, type OpenFile, openFlags } from './file-system.ts';
import { IndexContent } from './index-content.ts';
import { recoverRecords } from './index-recovery.ts';
import { rewriteIndex } from './index-rewrite.ts';
import type { ReportRepair } from './repair-report.ts';
import { waitForWriteLock } from './write-lock.ts';

/** What it takes to read and rewrite an index. */
export interface IndexSourceOptions {
  readonly fileSystem: FileSystem;
  /** The real path. */
  readonly file: string;
  readonly agentId: string;
  readonly report: ReportRepair;
}

/** How often a line that ends in the middle is read again, and after how many milliseconds. */
const mostLooks = 4;
const lookAgainMs = 2;

/** The file of an index with what is known of it. Used by one at a time. */
export class IndexSource {
  readonly #options: IndexSourceOptions;
  #content: IndexContent | null = null;

  constructor(options: IndexSourceOptions) {
    this.#options = options;
  }

  /** What the file said when it was last read; `null` when it must be read anew. */
  get content(): IndexContent | null {
    return this.#content;
  }

  /** Makes the next read one of the whole file. */
  forget(): void {
    this.#content = null;
  }

  /**
   * What the file says now: nothing is read when it has not changed, and no more than what was appended when it is the
   * same one. Records that may be lost are made anew from the journals.
   */
  async read(): Promise<IndexContent> {
    const { fileSystem, file } = this.#options;
    const isUnchanged = this.#content !== null && this.#isUnchanged(await existing(fileSystem.stat(file)));
    const opened = isUnchanged ? null : await existing(fileSystem.open(file, openFlags.read));
    if (opened === null) {
      this.#content ??= await this.#recovered(new IndexContent(), 'missing-index');
      return this.#content;
    }
    try {
      const facts = fileSystem.fstatSync(opened.fd);
      const known = this.#content;
      const isLonger = known !== null && (await known.isStartOf(opened, facts));
      const content = isLonger ? known : new IndexContent();
      // Should reading fail, what was read so far is not all.
      this.#content = null;
      await this.#readWhole(content, opened);
      this.#content = content.isDamaged ? await this.#recovered(content, 'bad-index') : content;
      return this.#content;
    } finally {
      await opened.close();
    }
  }

  /** Takes the lock and puts a new file in the place of this one, if it still needs it; one without that record, if asked. */
  async rewrite({
    isForced,
    without,
  }: {
    readonly isForced: boolean;
    readonly without?: string | undefined;
  }): Promise<void> {
    const { fileSystem, file } = this.#options;
    const lock = await waitForWriteLock(fileSystem, file);
    try {
      const content = await this.read();
      const isNeeded = content.isDamaged || content.lacksLineFeed || content.isMostlyGarbage;
      if (!isNeeded && !isForced) return;
      this.#content = null;
      if (without !== undefined) content.remove(without);
      content.rewritten(await rewriteIndex(content, { ...this.#options, lock }));
      this.#content = content;
    } finally {
      await lock.release();
    }
  }

  /** Reads what is new. A line that somebody is in the middle of writing is waited for: it is there in a moment. */
  async #readWhole(content: IndexContent, opened: OpenFile): Promise<void> {
    for (let look = 0; look < mostLooks; look += 1) {
      await content.read(opened, this.#options.fileSystem.fstatSync(opened.fd));
      if (!content.isTorn) return;
      await setTimeout(lookAgainMs);
    }
  }

  #isUnchanged(facts: FileFacts | null): boolean {
    // Of a file that is not there nothing can be known but what the journals say.
    if (facts === null) this.#content = this.#content?.size === 0 ? this.#content : null;
    return facts !== null && this.#content?.isOf(facts) === true;
  }

  /** Adds records of journals that have none, as those of an index that was damaged may be lost. */
  async #recovered(content: IndexContent, kind: 'missing-index' | 'bad-index'): Promise<IndexContent> {
    const { report } = this.#options;
    const made = await recoverRecords(content, this.#options);
    if (kind === 'bad-index') {
      for (const place of content.lost) report({ kind, ...place });
      if (content.lost.length === 0) report({ kind, offset: 0, length: 0 });
    } else if (made > 0) report({ kind, offset: 0, length: 0 });
    if (made > 0) report({ kind: 'index-rebuilt', offset: 0, length: 0 });
    return content;
  }
}
