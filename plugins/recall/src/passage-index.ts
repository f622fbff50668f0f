import {
  createLexicalIndex,
  type LexicalIndex,
  type LexicalQuery,
  type Milliseconds,
  type Seq,
  termsOfText,
} from '@varve/core';
import { type AskedDate, askedDates, dateFit } from './asked-dates.ts';
import { dayOf } from './day-of.ts';
import type { ReadEntry } from './entry-reading.ts';
import type { Passage } from './passages-of-entry.ts';
import { type RankedPassage, rankPassages } from './rank-passages.ts';
import { noStretch, type Stretch, stretchWith } from './stretch.ts';
import { createTermCounts } from './term-counts.ts';
import { type SharedTime, turnOfOthers } from './turn-of-others.ts';
import { withoutNames } from './without-names.ts';

/** Where a passage stands, without what it says: that is in the journal. */
export interface PlacedPassage extends RankedPassage, Pick<Passage, 'seq' | 'ordinal' | 'tokens'> {
  /** Terms of the sender's name; they are among `nameTerms`. */
  readonly senderTerms: readonly string[];
}

/** A passage with how well it fits. */
export interface ScoredPassage {
  readonly passage: PlacedPassage;
  readonly score: number;
}

/** How passages are found. */
export interface FindOptions {
  /** How many on each side lift one that is said beside them. */
  readonly neighbours: number;
}

/** How far an index had come at some entry. */
export interface PassageMark {
  readonly first: number;
  readonly end: number;
  readonly entries: number;
  readonly stretch: Stretch;
}

/** Most passages that are handed out for one question. */
const mostFound = 1_000;

/**
 * How many are looked at for one question, however long the session is: those with the best words, those of the best
 * stretches, and the newest that were said on a day or by somebody that the question names.
 */
const mostHits = 1_000;
const mostStretches = 40;
const mostOfDays = 500;
const mostOfNames = 500;

/** How stretches are ranked, each as one text. */
const stretchScoring = { k1: 1.2, b: 0.4 } as const;

/** No bound of the words themselves may be reached: what falls out is for the room of the passages to say. */
const noBounds = { maxDocuments: 16_000_000, maxTerms: 16_000_000 } as const;

/** An entry of which something may be found. */
interface KeptEntry extends Pick<ReadEntry, 'size' | 'hasToolCalls'> {
  readonly passages: number;
  /** Whether it was said, not printed by a tool, and whether it begins with a name. */
  readonly isSaid: boolean;
  readonly isNamed: boolean;
}

/**
 * The newest passages of a session in order, and the words in them. What they say stays in the journal. Which ones there
 * are depends on the entries alone: of the newest, as many as there is room for, however they came to be added.
 */
export class PassageIndex {
  readonly #maxChars: number;
  readonly #words: LexicalIndex = createLexicalIndex(noBounds);
  #passages: PlacedPassage[] = [];
  #entries: KeptEntry[] = [];
  /** Number of the first passage; the others follow without gaps. */
  #first = 0;
  #stretch = noStretch;
  /** First passage, by its number, of each run of passages of one day. */
  #days: { readonly day: string; readonly from: number }[] = [];
  /** Terms of the names of senders, and of these and the names that texts begin with. */
  readonly #senders = createTermCounts();
  readonly #names = createTermCounts();
  /** The room that all entries take, and how many of them are said, begin with a name, and call tools. */
  #sums = { size: 0, said: 0, named: 0, calling: 0 };

  /** @param options.maxChars  Room for the newest entries, in UTF-16 code units; the newest alone may take more. */
  constructor({ maxChars }: { readonly maxChars: number }) {
    this.#maxChars = maxChars;
  }

  /** The entry from which on passages are kept; 1 when none has fallen out. */
  get fromSeq(): Seq {
    return this.#first === 0 ? 1 : (this.#passages[0]?.seq ?? 1);
  }

  /** The room that all of it takes, in UTF-16 code units. */
  get chars(): number {
    return this.#sums.size;
  }

  /** True when a tool was called in what is kept. */
  get hasToolCalls(): boolean {
    return this.#sums.calling > 0;
  }

  /** Adds the newest entry; the oldest go while there is too little room. Others have their turn meanwhile. */
  async add(entry: ReadEntry, time: SharedTime): Promise<void> {
    const day = dayOf(entry.at);
    for (const passage of entry.passages) {
      const characters = this.#addPassage(passage, { day, at: entry.at });
      if (time.isUp(characters)) await turnOfOthers();
    }
    const { size, hasToolCalls, passages } = entry;
    const isSaid = !entry.isOfTool && passages.length > 0;
    const isNamed = isSaid && passages[0]?.name !== '';
    this.#entries.push({ size, hasToolCalls, isSaid, isNamed, passages: passages.length });
    this.#count(this.#entries.slice(-1), 1);
    this.#makeRoom();
  }

  /** The passages that fit best, best first, of equals the newer one, with what stands around them; at most 1,000. */
  find(query: LexicalQuery, { neighbours }: FindOptions): readonly ScoredPassage[] {
    const texts = typeof query === 'string' ? [{ text: query, weight: 1 }] : query;
    const asked = texts.filter(({ weight }) => weight >= 1).map(({ text }) => text);
    const speakers = this.#speakers();
    const terms = new Set(asked.flatMap((text) => termsOfText(text)).filter((term) => speakers.has(term)));
    const dates = asked.flatMap(askedDates);
    const wordQuery = texts.map(({ text, weight }) => ({ text: withoutNames(text, speakers), weight }));
    const hits = this.#words.search(wordQuery, { limit: mostHits });
    const groupOf = (id: string | number): number => this.#passages[Number(id) - this.#first]?.stretch ?? 0;
    const stretches = this.#words.search(wordQuery, { limit: mostStretches, groupOf, ...stretchScoring });
    const wordScores = new Map(hits.map(({ id, score }) => [Number(id) - this.#first, score]));
    const stretchScores = new Map(stretches.map(({ id, score }) => [groupOf(id), score]));
    const candidates = new Set(wordScores.keys());
    for (const number of stretchScores.keys()) this.#addStretch(number, candidates);
    if (dates.length > 0) this.#addDays(dates, candidates);
    if (terms.size > 0) this.#addNamed(terms, candidates);
    const question = { candidates, wordScores, stretchScores, terms, dates, neighbours };
    const ranked = rankPassages(this.#passages, question);
    return ranked
      .slice(0, mostFound)
      .map(({ place, score }) => ({ passage: this.#passages[place] as PlacedPassage, score }));
  }

  /** The passages that have words of the query and that a filter lets through, best first. */
  lookUp(
    query: string,
    { limit, allows }: { readonly limit: number; readonly allows: (passage: PlacedPassage) => boolean },
  ): readonly PlacedPassage[] {
    const passageOf = (id: string | number): PlacedPassage | undefined => this.#passages[Number(id) - this.#first];
    const filter = (id: string | number): boolean => {
      const passage = passageOf(id);
      return passage !== undefined && allows(passage);
    };
    return this.#words.search(query, { limit, filter }).flatMap(({ id }) => passageOf(id) ?? []);
  }

  /** How far it has come. */
  mark(): PassageMark {
    const end = this.#first + this.#passages.length;
    return { first: this.#first, end, entries: this.#entries.length, stretch: this.#stretch };
  }

  /** Becomes what it was at a mark of its own; false when something from before has fallen out since then. */
  returnTo({ first, end, entries, stretch }: PassageMark): boolean {
    if (first !== this.#first) return false;
    this.#forget(end, first + this.#passages.length);
    this.#passages = this.#passages.slice(0, end - first);
    this.#days = this.#days.filter(({ from }) => from < end);
    this.#count(this.#entries.splice(entries), -1);
    this.#stretch = stretch;
    return true;
  }

  #addPassage(
    { seq, ordinal, speaker, isSaid, sender, name, lines, tokens }: Passage,
    { day, at }: { readonly day: string; readonly at: Milliseconds },
  ): number {
    const text = `${speaker} ${day} ${lines.join('\n')}`;
    const senderTerms = termsOfName(sender);
    const nameTerms = [...senderTerms, ...termsOfName(name)];
    this.#senders.add(senderTerms);
    this.#names.add(nameTerms);
    this.#stretch = stretchWith(this.#stretch, { seq, at });
    const number = this.#first + this.#passages.length;
    if (this.#days.at(-1)?.day !== day) this.#days.push({ day, from: number });
    this.#words.add({ id: number, text });
    this.#passages.push({ seq, ordinal, tokens, nameTerms, senderTerms, day, stretch: this.#stretch.number, isSaid });
    return text.length;
  }

  /** Lets the oldest entries go until there is room for the others. */
  #makeRoom(): void {
    let size = this.#sums.size;
    let entries = 0;
    let passages = 0;
    for (; size > this.#maxChars && entries < this.#entries.length - 1; entries += 1) {
      const oldest = this.#entries[entries] as KeptEntry;
      size -= oldest.size;
      passages += oldest.passages;
    }
    if (entries === 0) return;
    this.#count(this.#entries.splice(0, entries), -1);
    this.#forget(this.#first, this.#first + passages);
    this.#passages = this.#passages.slice(passages);
    this.#first += passages;
    const start = this.#days.findLastIndex(({ from }) => from <= this.#first);
    this.#days = this.#days.slice(Math.max(0, start));
  }

  /** Forgets the words and names of passages, by their numbers. */
  #forget(from: number, end: number): void {
    for (let number = from; number < end; number += 1) {
      this.#words.remove(number);
      const { senderTerms, nameTerms } = this.#passages[number - this.#first] as PlacedPassage;
      this.#senders.remove(senderTerms);
      this.#names.remove(nameTerms);
    }
  }

  #count(entries: readonly KeptEntry[], by: 1 | -1): void {
    const sums = this.#sums;
    for (const { size, isSaid, isNamed, hasToolCalls } of entries) {
      sums.size += by * size;
      sums.said += by * Number(isSaid);
      sums.named += by * Number(isNamed);
      sums.calling += by * Number(hasToolCalls);
    }
  }

  /** Who may be named. What texts begin with is a name where most of them have one: a `Note:` here and there is none. */
  #speakers(): Pick<ReadonlySet<string>, 'has' | 'size'> {
    return this.#sums.named * 2 >= this.#sums.said ? this.#names : this.#senders;
  }

  /** What was said in a stretch: its passages stand together, and their numbers grow. */
  #addStretch(stretch: number, candidates: Set<number>): void {
    let low = 0;
    for (let high = this.#passages.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((this.#passages[middle]?.stretch ?? Infinity) < stretch) low = middle + 1;
      else high = middle;
    }
    for (let place = low; this.#passages[place]?.stretch === stretch; place += 1) {
      if (this.#passages[place]?.isSaid === true) candidates.add(place);
    }
  }

  /** The newest passages of the days that are asked for, those of the days that fit best first. */
  #addDays(dates: readonly AskedDate[], candidates: Set<number>): void {
    const runs = this.#days.flatMap(({ day, from }, at) => {
      const fit = dateFit(day, dates);
      const end = this.#days[at + 1]?.from ?? this.#first + this.#passages.length;
      return fit === 0 ? [] : [{ from: Math.max(from, this.#first), end, fit }];
    });
    let left = mostOfDays;
    for (const { from, end } of runs.sort((a, b) => b.fit - a.fit || b.from - a.from)) {
      for (let number = end - 1; number >= from && left > 0; number -= 1, left -= 1) {
        candidates.add(number - this.#first);
      }
    }
  }

  /** Of the newest passages, those of whom the question names. */
  #addNamed(terms: ReadonlySet<string>, candidates: Set<number>): void {
    const from = Math.max(0, this.#passages.length - mostOfNames);
    for (let place = from; place < this.#passages.length; place += 1) {
      if (this.#passages[place]?.nameTerms.some((term) => terms.has(term)) === true) candidates.add(place);
    }
  }
}

const noTerms: readonly string[] = [];

function termsOfName(name: string): readonly string[] {
  return name === '' ? noTerms : termsOfText(name);
}
