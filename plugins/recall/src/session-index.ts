import {
  createLexicalIndex,
  type Entry,
  type LedgerFact,
  type LexicalIndex,
  type LexicalQuery,
  type MessageEntry,
  type Milliseconds,
  mergeLedger,
  type Seq,
  type SessionView,
  type Tokens,
  termsOfText,
  toolCallsOfMessage,
} from '@varve/core';
import { askedDates } from './asked-dates.ts';
import { dayOf } from './day-of.ts';
import { type Passage, passagesOfEntry } from './passages-of-entry.ts';
import { type RankedPassage, rankPassages } from './rank-passages.ts';

/** Where an index reads a session from; hooks and tools have it. */
export interface SessionSource {
  readonly session: SessionView;
  readonly signal: AbortSignal;
  readonly deadline: Milliseconds;
  now(): Milliseconds;
  countTokens(text: string): Tokens;
  readEntries(range?: { readonly fromSeq?: Seq; readonly toSeq?: Seq }): AsyncIterable<Entry>;
}

/** Where a passage stands, without what it says: that is in the journal. */
export interface PlacedPassage extends RankedPassage, Pick<Passage, 'seq' | 'ordinal' | 'tokens'> {}

/** A passage with how well it fits. */
export interface ScoredPassage {
  readonly passage: PlacedPassage;
  readonly score: number;
}

/** Entries from one to another, both included. */
export interface SeqRange {
  readonly fromSeq: Seq;
  readonly toSeq: Seq;
}

/** Most passages that are handed out for one question. */
const mostFound = 1_000;

/** What is known of one session: passages of the entries that lead to its head, in order. */
export interface SessionIndex {
  /** Reads what has come since the last time; begins anew when the past is not what it was. */
  update(source: SessionSource): Promise<void>;
  /** The passages that fit best, best first, of equals the newer one, with what stands around them; at most 1,000. */
  find(query: LexicalQuery): readonly ScoredPassage[];
  /** The passages that have words of the query, best first. */
  lookUp(query: string, options: { readonly range: SeqRange; readonly limit: number }): readonly PlacedPassage[];
  /** Identifiers and statements of all entries read. */
  facts(): readonly LedgerFact[];
  /** True when a tool was called in the entries read. */
  hasToolCalls(): boolean;
  /** Number of passages. */
  size(): number;
}

/** Longest pause within a stretch of a conversation, and how many passages it has at most. */
const longestPauseMs: Milliseconds = 30 * 60_000;
const passagesPerStretch = 40;

/** Entries whose facts are put into the ledger together. */
const entriesPerMerge = 500;

/** Characters that are read in one update: some seconds of work on a slow machine. The next update goes on. */
const charactersPerUpdate = 12_000_000;

/** Makes an empty index. `maxPassages`: beyond it the oldest are no longer found. */
export function createSessionIndex(options: {
  readonly skips: ReadonlySet<string>;
  readonly maxPassages: number;
}): SessionIndex {
  return new JournalIndex(options);
}

class JournalIndex implements SessionIndex {
  readonly #skips: ReadonlySet<string>;
  readonly #maxPassages: number;
  #updating: Promise<unknown> = Promise.resolve();
  #words!: LexicalIndex;
  #stretches!: LexicalIndex;
  #passages: PlacedPassage[] = [];
  /** Number of the first passage; the others follow without gaps. */
  #first = 0;
  #stretch = { number: 0, text: '', passages: 0, until: 0, isIndexed: true };
  /** Terms of the names of senders, and of these and the names that texts begin with. */
  readonly #senders = new Set<string>();
  readonly #names = new Set<string>();
  /** Passages that were said, and those of them that begin with a name. */
  #said = { all: 0, named: 0 };
  #facts: readonly LedgerFact[] = [];
  #hasToolCalls = false;
  #last: { readonly seq: Seq; readonly id: string } | null = null;
  /** A message as the session had it in memory: another object in its place means that the journal was written anew. */
  #witness: MessageEntry | null = null;

  constructor({ skips, maxPassages }: { readonly skips: ReadonlySet<string>; readonly maxPassages: number }) {
    this.#skips = skips;
    this.#maxPassages = maxPassages;
    this.#reset();
  }

  update(source: SessionSource): Promise<void> {
    const update = this.#updating.then(() => this.#update(source));
    this.#updating = update.catch(() => undefined);
    return update;
  }

  find(query: LexicalQuery): readonly ScoredPassage[] {
    this.#indexStretch();
    const texts = typeof query === 'string' ? [{ text: query, weight: 1 }] : query;
    const asked = texts.filter(({ weight }) => weight >= 1).map(({ text }) => text);
    const speakers = this.#speakers();
    const terms = new Set(asked.flatMap((text) => termsOfText(text)).filter((term) => speakers.has(term)));
    const wordQuery = texts.map(({ text, weight }) => ({ text: withoutNames(text, speakers), weight }));
    const wordScores = new Float64Array(this.#passages.length);
    for (const { id, score } of this.#words.search(wordQuery, { limit: Infinity })) {
      wordScores[Number(id) - this.#first] = score;
    }
    const hits = this.#stretches.search(wordQuery, { limit: Infinity });
    const scores = rankPassages(this.#passages, {
      wordScores,
      stretchScores: new Map(hits.map(({ id, score }) => [Number(id), score])),
      terms,
      dates: asked.flatMap(askedDates),
    });
    return bestPassages(this.#passages, scores);
  }

  lookUp(
    query: string,
    { range, limit }: { readonly range: SeqRange; readonly limit: number },
  ): readonly PlacedPassage[] {
    const passageOf = (id: string | number): PlacedPassage | undefined => this.#passages[Number(id) - this.#first];
    const filter = (id: string | number): boolean => {
      const seq = passageOf(id)?.seq ?? -1;
      return seq >= range.fromSeq && seq <= range.toSeq;
    };
    return this.#words.search(query, { limit, filter }).flatMap(({ id }) => passageOf(id) ?? []);
  }

  facts(): readonly LedgerFact[] {
    return this.#facts;
  }

  hasToolCalls(): boolean {
    return this.#hasToolCalls;
  }

  size(): number {
    return this.#passages.length;
  }

  #reset(): void {
    this.#words = createLexicalIndex({ maxDocuments: this.#maxPassages });
    this.#stretches = createLexicalIndex({ k1: 1.2, b: 0.4, maxDocuments: this.#maxPassages });
    this.#passages = [];
    this.#first = 0;
    this.#stretch = { number: 0, text: '', passages: 0, until: 0, isIndexed: true };
    this.#senders.clear();
    this.#names.clear();
    this.#said = { all: 0, named: 0 };
    this.#facts = [];
    this.#hasToolCalls = false;
    this.#last = null;
    this.#witness = null;
  }

  async #update(source: SessionSource): Promise<void> {
    const messages = source.session.messages();
    const witness = this.#witness;
    const same = witness === null ? undefined : messages.findLast(({ seq }) => seq === witness.seq);
    if (same !== undefined && same !== witness) this.#reset();
    if (!(await this.#readOn(source))) {
      this.#reset();
      await this.#readOn(source);
    }
    this.#witness = messages.at(-1) ?? this.#witness;
  }

  /** Reads behind the last entry; false when that entry no longer leads to the head. */
  async #readOn(source: SessionSource): Promise<boolean> {
    const last = this.#last;
    const until = source.now() + (source.deadline - source.now()) / 2;
    let left = charactersPerUpdate;
    let isFirst = last !== null;
    const read: MessageEntry[] = [];
    for await (const entry of source.readEntries(last === null ? {} : { fromSeq: last.seq })) {
      if (isFirst) {
        if (entry.id !== last?.id) return false;
        isFirst = false;
        continue;
      }
      if (entry.type === 'message') {
        read.push(entry);
        left -= this.#addEntry(entry, source);
        if (read.length === entriesPerMerge) this.#facts = mergeLedger(this.#facts, read.splice(0));
      }
      this.#last = { seq: entry.seq, id: entry.id };
      if (left <= 0 || source.now() > until || source.signal.aborted) break;
    }
    if (read.length > 0) this.#facts = mergeLedger(this.#facts, read);
    return !isFirst;
  }

  /** Adds the passages of an entry, and returns how many characters they have. */
  #addEntry(entry: MessageEntry, { countTokens }: SessionSource): number {
    const passages = passagesOfEntry(entry, { count: countTokens, skips: this.#skips });
    if (toolCallsOfMessage(entry.message).length > 0) this.#hasToolCalls = true;
    const day = dayOf(entry.at);
    let characters = 0;
    for (const { seq, ordinal, speaker, isSaid, sender, name, lines, tokens } of passages) {
      const text = `${speaker} ${day} ${lines.join('\n')}`;
      characters += text.length;
      const stretch = this.#stretchAt(entry.at);
      stretch.text += `${text}\n`;
      const senderTerms = termsOfText(sender);
      const nameTerms = [...senderTerms, ...termsOfText(name)];
      for (const term of senderTerms) this.#senders.add(term);
      for (const term of nameTerms) this.#names.add(term);
      if (ordinal === 0 && entry.message.role !== 'tool') {
        this.#said.all += 1;
        if (name !== '') this.#said.named += 1;
      }
      this.#words.add({ id: this.#first + this.#passages.length, text });
      this.#passages.push({ seq, ordinal, tokens, nameTerms, day, stretch: stretch.number, isSaid });
    }
    if (this.#passages.length > this.#maxPassages * 1.25) this.#letGo(this.#passages.length - this.#maxPassages);
    return characters;
  }

  #letGo(count: number): void {
    this.#passages = this.#passages.slice(count);
    this.#first += count;
  }

  /** The stretch that something said at a moment belongs to; a new one after a pause, or when it is full. */
  #stretchAt(at: Milliseconds): { number: number; text: string; isIndexed: boolean } {
    const { number, passages, until } = this.#stretch;
    if (passages > 0 && (at > until || passages >= passagesPerStretch)) {
      this.#indexStretch();
      this.#stretch = { number: number + 1, text: '', passages: 0, until: 0, isIndexed: true };
    }
    this.#stretch.passages += 1;
    this.#stretch.until = at + longestPauseMs;
    this.#stretch.isIndexed = false;
    return this.#stretch;
  }

  #indexStretch(): void {
    const { number, text, isIndexed } = this.#stretch;
    if (isIndexed) return;
    this.#stretches.add({ id: number, text });
    this.#stretch.isIndexed = true;
  }

  /** Who may be named. What texts begin with is a name where most of them have one: a `Note:` here and there is none. */
  #speakers(): ReadonlySet<string> {
    return this.#said.named * 2 >= this.#said.all ? this.#names : this.#senders;
  }
}

/** Whom a question names is known by who speaks: the name in a text is mostly that of who is spoken to. */
function withoutNames(text: string, names: ReadonlySet<string>): string {
  if (names.size === 0) return text;
  const isName = (word: string): boolean => {
    const terms = termsOfText(word);
    return terms.length > 0 && terms.every((term) => names.has(term));
  };
  return text.replace(/[\p{L}\p{M}'’-]+/gu, (word) => (isName(word) ? ' ' : word));
}

function bestPassages(passages: readonly PlacedPassage[], scores: Float64Array): readonly ScoredPassage[] {
  const places = [...scores.keys()].filter((place) => (scores[place] ?? 0) > 0);
  // Sorting numbers alone is ten times as fast as sorting by comparison.
  const sorted = Float64Array.from(places, (place) => scores[place] ?? 0).sort();
  const least = sorted[sorted.length - mostFound] ?? 0;
  return places
    .filter((place) => (scores[place] ?? 0) >= least)
    .map((place) => ({ passage: passages[place] as PlacedPassage, score: scores[place] ?? 0, place }))
    .sort((a, b) => b.score - a.score || b.place - a.place)
    .slice(0, mostFound);
}
