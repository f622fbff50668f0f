import type { Entry, Milliseconds, Seq, SessionView, Tokens } from '@varve/core';
import { type ReadEntry, readEntry } from './entry-reading.ts';
import { blockOf, entriesPerBlock } from './stretch.ts';
import type { SharedTime } from './turn-of-others.ts';

/** Where a session is read from; hooks and tools have it. */
export interface SessionSource {
  readonly session: SessionView;
  readonly signal: AbortSignal;
  readonly deadline: Milliseconds;
  now(): Milliseconds;
  countTokens(text: string): Tokens;
  readEntries(range?: { readonly fromSeq?: Seq; readonly toSeq?: Seq }): AsyncIterable<Entry>;
  getEntries(seqsOrIds: readonly (Seq | string)[]): Promise<readonly Entry[]>;
}

/** How it reads, and how much. */
interface BackwardsOptions {
  readonly skips: ReadonlySet<string>;
  readonly maxChars: number;
  readonly time: SharedTime;
  /** Told whenever more was read. */
  resized(): void;
}

/**
 * Reads a session block by block from its head backwards, until what its entries say takes more than there is room for.
 * What it costs depends on that room, not on how long the session is.
 */
export class BackwardsReading {
  readonly #options: BackwardsOptions;
  /** From the newest to the oldest; of each block its entries in order. */
  readonly #blocks: ReadEntry[][] = [];
  #size = 0;
  #handedOut = 0;
  #block: number | null = null;
  #entries: ReadEntry[] = [];
  #nextSeq: Seq = 1;
  /** Names the path that was read. */
  #newest: ReadEntry | null = null;
  #isDone = false;

  constructor(options: BackwardsOptions) {
    this.#options = options;
  }

  /** The room that what it holds takes, in UTF-16 code units. */
  get chars(): number {
    return this.#size - this.#handedOut;
  }

  /** Whether what was read so far still leads to the head. */
  async isOnPath({ getEntries }: SessionSource): Promise<boolean> {
    if (this.#newest === null) return true;
    const [found] = await getEntries([this.#newest.seq]);
    return found?.id === this.#newest.id;
  }

  /** Reads on until the time is up, and tells whether all was read that there is room for. */
  async read(source: SessionSource, until: Milliseconds): Promise<boolean> {
    if (this.#block === null) this.#beginBlock(blockOf(newestSeq(source.session)));
    while (!this.#isDone) {
      if (!(await this.#readBlock(source, until))) return false;
      this.#blocks.push(this.#entries);
      this.#isDone = this.#block === 0 || this.#size > this.#options.maxChars;
      if (!this.#isDone) this.#beginBlock((this.#block ?? 0) - 1);
    }
    return true;
  }

  /** Hands out what was read, the oldest entry first, each once. */
  next(): ReadEntry | undefined {
    while (this.#blocks.at(-1)?.length === 0) this.#blocks.pop();
    const entry = this.#blocks.at(-1)?.shift();
    this.#handedOut += entry?.size ?? 0;
    return entry;
  }

  #beginBlock(block: number): void {
    this.#block = Math.max(0, block);
    this.#nextSeq = this.#block * entriesPerBlock + 1;
    this.#entries = [];
  }

  async #readBlock(source: SessionSource, until: Milliseconds): Promise<boolean> {
    const toSeq = ((this.#block ?? 0) + 1) * entriesPerBlock;
    if (this.#nextSeq > toSeq) return true;
    for await (const entry of source.readEntries({ fromSeq: this.#nextSeq, toSeq })) {
      if (source.now() > until || source.signal.aborted) return false;
      if (entry.type === 'message') {
        // It throws when the time of the hook is up: then the entry is read by the next update.
        const read = await readEntry(entry, { ...this.#options, countTokens: source.countTokens });
        this.#entries.push(read);
        this.#size += read.size;
        this.#options.resized();
        if (read.seq > (this.#newest?.seq ?? 0)) this.#newest = read;
      }
      this.#nextSeq = entry.seq + 1;
    }
    return true;
  }
}

/** The newest entry that a session shows something of. */
export function newestSeq(session: SessionView): Seq {
  return session.messages().reduce((newest, { seq }) => Math.max(newest, seq), session.compaction()?.seq ?? 0);
}
