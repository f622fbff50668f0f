import {
  type Entry,
  type LedgerFact,
  type LexicalQuery,
  type MessageEntry,
  type Milliseconds,
  mergeLedger,
  type Seq,
  type SessionView,
  type Tokens,
  toolCallsOfMessage,
} from '@varve/core';
import {
  type FindOptions,
  PassageIndex,
  type PassageMark,
  type PlacedPassage,
  type ScoredPassage,
} from './passage-index.ts';

/** Where an index reads a session from; hooks and tools have it. */
interface SessionSource {
  readonly session: SessionView;
  readonly signal: AbortSignal;
  readonly deadline: Milliseconds;
  now(): Milliseconds;
  countTokens(text: string): Tokens;
  readEntries(range?: { readonly fromSeq?: Seq; readonly toSeq?: Seq }): AsyncIterable<Entry>;
  getEntries(seqsOrIds: readonly (Seq | string)[]): Promise<readonly Entry[]>;
}

/** Entries from one to another, both included. */
export interface SeqRange {
  readonly fromSeq: Seq;
  readonly toSeq: Seq;
}

/** What is known of one session: passages of the entries that lead to its head, in order. */
export interface SessionIndex {
  /**
   * Reads what has come since the last time, for half of the time until the deadline; the next update goes on. What is no
   * longer on the path goes.
   */
  update(source: SessionSource): Promise<void>;
  /** True when all of a session was read: what is found before then depends on how fast the machine is. */
  isComplete(session: SessionView): boolean;
  /** The passages that fit best, best first, with what stands around them; at most 1,000. */
  find(query: LexicalQuery, options: FindOptions): readonly ScoredPassage[];
  /** The passages that have words of the query, best first. */
  lookUp(query: string, options: { readonly range: SeqRange; readonly limit: number }): readonly PlacedPassage[];
  /** Identifiers and statements of all entries read. */
  facts(): readonly LedgerFact[];
  /** True when a tool was called in the entries read. */
  hasToolCalls(): boolean;
}

/**
 * After every so many messages the ledger is cut to its size, and is marked what is known: to be the same however it was
 * read, both happen where the journal says, not where a reading ended.
 */
const messagesPerMark = 64;

/** How many marks are kept. When the head moves behind the oldest, all is read anew. */
const mostMarks = 6;

/** Characters after which timers and other sessions get their turn: some milliseconds of work. */
const charactersPerTurn = 16_000;

/** Makes an empty index. `maxPassages`: beyond it the oldest are no longer found. */
export function createSessionIndex(options: {
  readonly skips: ReadonlySet<string>;
  readonly maxPassages: number;
}): SessionIndex {
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
  readonly facts: readonly LedgerFact[];
  readonly hasToolCalls: boolean;
}

class JournalIndex implements SessionIndex {
  readonly #options: { readonly skips: ReadonlySet<string>; readonly maxPassages: number };
  #updating: Promise<unknown> = Promise.resolve();
  #passages: PassageIndex;
  #messages = 0;
  #facts: readonly LedgerFact[] = [];
  /** Messages whose facts are not in the ledger yet. */
  #unread: MessageEntry[] = [];
  #hasToolCalls = false;
  #last: Place | null = null;
  #marks: readonly Mark[] = [];
  #isComplete = false;

  constructor(options: { readonly skips: ReadonlySet<string>; readonly maxPassages: number }) {
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
    this.#readFacts();
    return this.#facts;
  }

  hasToolCalls(): boolean {
    return this.#hasToolCalls;
  }

  async #update(source: SessionSource): Promise<void> {
    this.#isComplete = false;
    const until = source.now() + (source.deadline - source.now()) / 2;
    if (await this.#readOn(source, until)) return;
    await this.#returnToPath(source);
    await this.#readOn(source, until);
  }

  /** Reads behind the last entry; false when that entry no longer leads to the head. */
  async #readOn(source: SessionSource, until: Milliseconds): Promise<boolean> {
    const last = this.#last;
    let isFirst = last !== null;
    let characters = 0;
    for await (const entry of source.readEntries(last === null ? {} : { fromSeq: last.seq })) {
      if (isFirst) {
        if (entry.id !== last?.id) return false;
        isFirst = false;
        continue;
      }
      if (source.now() > until || source.signal.aborted) return true;
      characters += this.#addEntry(entry, source);
      if (characters < charactersPerTurn) continue;
      this.#readFacts();
      characters = 0;
      await turnOfOthers();
    }
    this.#isComplete = !isFirst;
    return !isFirst;
  }

  /** Adds an entry, and returns how many characters were read. */
  #addEntry(entry: Entry, { countTokens }: SessionSource): number {
    const place = { seq: entry.seq, id: entry.id };
    if (entry.type !== 'message') {
      this.#last = place;
      return 0;
    }
    // First, for it throws when the time of the hook is up: then the entry is read by the next update.
    const characters = this.#passages.add(entry, countTokens);
    this.#last = place;
    this.#messages += 1;
    this.#unread.push(entry);
    if (toolCallsOfMessage(entry.message).length > 0) this.#hasToolCalls = true;
    if (this.#messages % messagesPerMark === 0) this.#mark(place);
    return characters;
  }

  /** Between two marks the ledger only grows, so that it does not matter how often it is read. */
  #readFacts(): void {
    if (this.#unread.length > 0) this.#facts = mergeLedger(this.#facts, this.#unread, { limit: Infinity });
    this.#unread = [];
  }

  #mark(last: Place): void {
    this.#facts = mergeLedger(this.#facts, this.#unread);
    this.#unread = [];
    const mark: Mark = {
      last,
      messages: this.#messages,
      passages: this.#passages.mark(),
      facts: this.#facts,
      hasToolCalls: this.#hasToolCalls,
    };
    this.#marks = [...this.#marks, mark].slice(-mostMarks);
  }

  /** Goes back to the newest mark that leads to the head; to the beginning where there is none. */
  async #returnToPath(source: SessionSource): Promise<void> {
    const onPath = await source.getEntries(this.#marks.map(({ last }) => last.seq));
    const ids = new Set(onPath.map(({ id }) => id));
    const kept = this.#marks.findLastIndex(({ last }) => ids.has(last.id));
    const mark = this.#marks[kept];
    const isKept = mark !== undefined && this.#passages.returnTo(mark.passages);
    if (!isKept) this.#passages = new PassageIndex(this.#options);
    this.#messages = isKept ? mark.messages : 0;
    this.#facts = isKept ? mark.facts : [];
    this.#hasToolCalls = isKept && mark.hasToolCalls;
    this.#last = isKept ? mark.last : null;
    this.#marks = isKept ? this.#marks.slice(0, kept + 1) : [];
    this.#unread = [];
  }
}

/** Lets timers, and whoever else waits, have their turn. */
function turnOfOthers(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
