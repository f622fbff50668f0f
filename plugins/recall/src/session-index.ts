import type { LedgerFact, LexicalQuery, Milliseconds, Seq, SessionView } from '@varve/core';
import { BackwardsReading, type SessionSource } from './backwards-reading.ts';
import { type ReadEntry, readEntry } from './entry-reading.ts';
import {
  type FindOptions,
  PassageIndex,
  type PassageMark,
  type PlacedPassage,
  type ScoredPassage,
} from './passage-index.ts';
import { createSessionFacts } from './session-facts.ts';
import { createSharedTime } from './turn-of-others.ts';

/** Entries from one to another, both included. */
export interface SeqRange {
  readonly fromSeq: Seq;
  readonly toSeq: Seq;
}

/** What is known of one session: passages of the newest entries that lead to its head, in order. */
export interface SessionIndex {
  /**
   * Reads what has come since the last time, for half of the time until the deadline; the next update goes on. What is no
   * longer on the path goes. The first one reads backwards, as far as there is room for what it finds.
   */
  update(source: SessionSource): Promise<void>;
  /** True when all that there is room for was read: what is found before then depends on how fast the machine is. */
  isComplete(session: SessionView): boolean;
  /** The entry from which on passages are found; 1 when all are. */
  fromSeq(): Seq;
  /** The passages that fit best, best first, with what stands around them; at most 1,000. */
  find(query: LexicalQuery, options: FindOptions): readonly ScoredPassage[];
  /** The passages that have words of the query, best first. */
  lookUp(query: string, options: { readonly range: SeqRange; readonly limit: number }): readonly PlacedPassage[];
  /** Identifiers and statements of the whole session. */
  facts(): readonly LedgerFact[];
  /** True when a tool was called in the entries read. */
  hasToolCalls(): boolean;
}

/** After every so many messages is marked what is known. */
const messagesPerMark = 64;

/** How many marks are kept. When the head moves behind the oldest, all is read anew. */
const mostMarks = 6;

/** How an index reads, and how much of a session. */
interface IndexOptions {
  /** Names of tools whose calls and results are left out. */
  readonly skips: ReadonlySet<string>;
  /** Room for what the newest entries say, in UTF-16 code units. */
  readonly maxChars: number;
  /** Told of the room that the index takes, whenever that has changed. */
  resized(chars: number): void;
}

/** Makes an empty index. */
export function createSessionIndex(options: IndexOptions): SessionIndex {
  return new JournalIndex(options);
}

/** An entry that was read. */
interface Place {
  readonly seq: Seq;
  readonly id: string;
}

/** All that was known at an entry. */
interface Mark {
  readonly last: Place;
  readonly messages: number;
  readonly passages: PassageMark;
}

class JournalIndex implements SessionIndex {
  readonly #options: IndexOptions;
  readonly #facts = createSessionFacts();
  readonly #time = createSharedTime();
  #updating: Promise<unknown> = Promise.resolve();
  #passages: PassageIndex;
  #messages = 0;
  #last: Place | null = null;
  #marks: readonly Mark[] = [];
  /** What is read before anything is known; `null` when that is done. */
  #backwards: BackwardsReading | null = null;
  #isComplete = false;

  constructor(options: IndexOptions) {
    this.#options = options;
    this.#passages = new PassageIndex(options);
  }

  update(source: SessionSource): Promise<void> {
    const update = this.#updating.then(() => this.#update(source));
    this.#updating = update.catch(() => undefined);
    return update;
  }

  isComplete(session: SessionView): boolean {
    const newest = session.messages().at(-1)?.seq ?? 0;
    return this.#isComplete && (this.#last?.seq ?? 0) >= newest;
  }

  fromSeq(): Seq {
    return this.#passages.fromSeq;
  }

  find(query: LexicalQuery, options: FindOptions): readonly ScoredPassage[] {
    return this.#passages.find(query, options);
  }

  lookUp(
    query: string,
    { range, limit }: { readonly range: SeqRange; readonly limit: number },
  ): readonly PlacedPassage[] {
    const allows = ({ seq }: PlacedPassage): boolean => seq >= range.fromSeq && seq <= range.toSeq;
    return this.#passages.lookUp(query, { limit, allows });
  }

  facts(): readonly LedgerFact[] {
    return this.#facts.all();
  }

  hasToolCalls(): boolean {
    return this.#passages.hasToolCalls;
  }

  async #update(source: SessionSource): Promise<void> {
    this.#isComplete = false;
    const until = source.now() + (source.deadline - source.now()) / 2;
    if (!(await this.#read(source, until))) return;
    if (this.#passages.hasToolCalls) await this.#facts.update(source.session, this.#time);
    this.#isComplete = true;
  }

  /** Reads all that is new; false when there was too little time for it. */
  async #read(source: SessionSource, until: Milliseconds): Promise<boolean> {
    if (!(await this.#readBack(source, until))) return false;
    const end = await this.#readOn(source, until);
    if (end !== 'off the path') return end === 'read';
    await this.#returnToPath(source);
    return (await this.#readBack(source, until)) && (await this.#readOn(source, until)) === 'read';
  }

  /** Where nothing is known, reads the newest blocks, as far as there is room; false when the time was up before. */
  async #readBack(source: SessionSource, until: Milliseconds): Promise<boolean> {
    if (this.#last !== null && this.#backwards === null) return true;
    if (this.#backwards !== null && !(await this.#backwards.isOnPath(source))) this.#begin();
    const resized = (): void => this.#resized();
    this.#backwards ??= new BackwardsReading({ ...this.#options, time: this.#time, resized });
    if (!(await this.#backwards.read(source, until))) return false;
    for (let next = this.#backwards.next(); next !== undefined; next = this.#backwards.next()) {
      await this.#add(next);
      if (source.now() > until || source.signal.aborted) return false;
    }
    this.#backwards = null;
    return true;
  }

  /** Reads behind the last entry, unless that one no longer leads to the head, or the time is up. */
  async #readOn(source: SessionSource, until: Milliseconds): Promise<'read' | 'late' | 'off the path'> {
    const last = this.#last;
    let isFirst = last !== null;
    for await (const entry of source.readEntries(last === null ? {} : { fromSeq: last.seq })) {
      if (isFirst) {
        if (entry.id !== last?.id) return 'off the path';
        isFirst = false;
        continue;
      }
      if (source.now() > until || source.signal.aborted) return 'late';
      if (entry.type !== 'message') this.#last = { seq: entry.seq, id: entry.id };
      else
        await this.#add(
          await readEntry(entry, { ...this.#options, time: this.#time, countTokens: source.countTokens }),
        );
    }
    return isFirst ? 'off the path' : 'read';
  }

  async #add(entry: ReadEntry): Promise<void> {
    await this.#passages.add(entry, this.#time);
    this.#resized();
    this.#last = { seq: entry.seq, id: entry.id };
    this.#messages += 1;
    if (this.#messages % messagesPerMark !== 0) return;
    const mark = { last: this.#last, messages: this.#messages, passages: this.#passages.mark() };
    this.#marks = [...this.#marks, mark].slice(-mostMarks);
  }

  /** Goes back to the newest mark that leads to the head; to the beginning where there is none. */
  async #returnToPath(source: SessionSource): Promise<void> {
    const onPath = await source.getEntries(this.#marks.map(({ last }) => last.seq));
    const ids = new Set(onPath.map(({ id }) => id));
    const kept = this.#marks.findLastIndex(({ last }) => ids.has(last.id));
    const mark = this.#marks[kept];
    if (mark === undefined || !this.#passages.returnTo(mark.passages)) return this.#begin();
    this.#resized();
    this.#messages = mark.messages;
    this.#last = mark.last;
    this.#marks = this.#marks.slice(0, kept + 1);
  }

  /** Knows nothing. */
  #begin(): void {
    this.#passages = new PassageIndex(this.#options);
    this.#messages = 0;
    this.#last = null;
    this.#marks = [];
    this.#backwards = null;
    this.#resized();
  }

  #resized(): void {
    this.#options.resized(this.#passages.chars + (this.#backwards?.chars ?? 0));
  }
}
