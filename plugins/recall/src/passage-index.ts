import {
  createLexicalIndex,
  type LexicalHit,
  type LexicalIndex,
  type LexicalQuery,
  type MessageEntry,
  type Milliseconds,
  type Tokens,
  termsOfText,
} from '@varve/core';
import { type AskedDate, askedDates, dateFit } from './asked-dates.ts';
import { dayOf } from './day-of.ts';
import { type Passage, passagesOfEntry } from './passages-of-entry.ts';
import { type RankedPassage, rankPassages } from './rank-passages.ts';
import { withoutNames } from './without-names.ts';

/** Where a passage stands, without what it says: that is in the journal. */
export interface PlacedPassage extends RankedPassage, Pick<Passage, 'seq' | 'ordinal' | 'tokens'> {}

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
  readonly stretch: Stretch;
  readonly senders: number;
  readonly names: number;
  readonly said: Said;
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

/** Longest pause within a stretch of a conversation, and how many passages it has at most. */
const longestPauseMs: Milliseconds = 30 * 60_000;
const passagesPerStretch = 40;

/** Something said without a long pause: its number, its text, how many passages it has, and until when it goes on. */
interface Stretch {
  readonly number: number;
  readonly text: string;
  readonly passages: number;
  readonly until: Milliseconds;
}

/** Messages that were said, and those of them that begin with a name. */
interface Said {
  readonly all: number;
  readonly named: number;
}

const noStretch: Stretch = { number: 0, text: '', passages: 0, until: 0 };

/** The passages of a session in order, and the words in them. What they say stays in the journal. */
export class PassageIndex {
  readonly #skips: ReadonlySet<string>;
  readonly #maxPassages: number;
  readonly #words: LexicalIndex;
  readonly #stretches: LexicalIndex;
  #passages: PlacedPassage[] = [];
  /** Number of the first passage; the others follow without gaps. */
  #first = 0;
  #stretch = noStretch;
  #isStretchIndexed = true;
  /** First passage, by its number, of each run of passages of one day. */
  #days: { readonly day: string; readonly from: number }[] = [];
  /** Terms of the names of senders, and of these and the names that texts begin with; the newest last. */
  readonly #senders = new Set<string>();
  readonly #names = new Set<string>();
  #said: Said = { all: 0, named: 0 };

  constructor({ skips, maxPassages }: { readonly skips: ReadonlySet<string>; readonly maxPassages: number }) {
    this.#skips = skips;
    this.#maxPassages = maxPassages;
    this.#words = createLexicalIndex({ maxDocuments: maxPassages });
    this.#stretches = createLexicalIndex({ k1: 1.2, b: 0.4, maxDocuments: maxPassages });
  }

  /** Adds the passages of an entry, and returns how many characters they have. */
  add(entry: MessageEntry, countTokens: (text: string) => Tokens): number {
    const day = dayOf(entry.at);
    let characters = 0;
    for (const passage of passagesOfEntry(entry, { count: countTokens, skips: this.#skips })) {
      const { seq, ordinal, speaker, isSaid, sender, name, lines, tokens } = passage;
      const text = `${speaker} ${day} ${lines.join('\n')}`;
      characters += text.length;
      const stretch = this.#growStretch(entry.at, text);
      const senderTerms = termsOfText(sender);
      const nameTerms = [...senderTerms, ...termsOfText(name)];
      for (const term of senderTerms) this.#senders.add(term);
      for (const term of nameTerms) this.#names.add(term);
      if (ordinal === 0 && entry.message.role !== 'tool') {
        this.#said = { all: this.#said.all + 1, named: this.#said.named + (name === '' ? 0 : 1) };
      }
      const number = this.#first + this.#passages.length;
      if (this.#days.at(-1)?.day !== day) this.#days.push({ day, from: number });
      this.#words.add({ id: number, text });
      this.#passages.push({ seq, ordinal, tokens, nameTerms, day, stretch, isSaid });
    }
    if (this.#passages.length > this.#maxPassages * 1.25) this.#letGo(this.#passages.length - this.#maxPassages);
    return characters;
  }

  /** The passages that fit best, best first, of equals the newer one, with what stands around them; at most 1,000. */
  find(query: LexicalQuery, { neighbours }: FindOptions): readonly ScoredPassage[] {
    this.#indexStretch();
    const texts = typeof query === 'string' ? [{ text: query, weight: 1 }] : query;
    const asked = texts.filter(({ weight }) => weight >= 1).map(({ text }) => text);
    const speakers = this.#speakers();
    const terms = new Set(asked.flatMap((text) => termsOfText(text)).filter((term) => speakers.has(term)));
    const dates = asked.flatMap(askedDates);
    const wordQuery = texts.map(({ text, weight }) => ({ text: withoutNames(text, speakers), weight }));
    const hits = this.#words.search(wordQuery, { limit: mostHits });
    const stretches = this.#stretches.search(wordQuery, { limit: mostStretches });
    const wordScores = scoresOf(hits, this.#first);
    const stretchScores = scoresOf(stretches, 0);
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
    const [senders, names] = [this.#senders.size, this.#names.size];
    return { first: this.#first, end, stretch: this.#stretch, senders, names, said: this.#said };
  }

  /** Becomes what it was at a mark of its own; false when something from before has fallen out since then. */
  returnTo({ first, end, stretch, senders, names, said }: PassageMark): boolean {
    if (first !== this.#first || this.#words.size < this.#passages.length) return false;
    for (let number = end; number < first + this.#passages.length; number += 1) this.#words.remove(number);
    for (let { number } = stretch; number <= this.#stretch.number; number += 1) this.#stretches.remove(number);
    this.#passages = this.#passages.slice(0, end - first);
    this.#days = this.#days.filter(({ from }) => from < end);
    this.#stretch = stretch;
    this.#isStretchIndexed = stretch.passages === 0;
    for (const term of [...this.#senders].slice(senders)) this.#senders.delete(term);
    for (const term of [...this.#names].slice(names)) this.#names.delete(term);
    this.#said = said;
    return true;
  }

  #letGo(count: number): void {
    this.#passages = this.#passages.slice(count);
    this.#first += count;
    const start = this.#days.findLastIndex(({ from }) => from <= this.#first);
    this.#days = this.#days.slice(Math.max(0, start));
  }

  /** Adds a text to the stretch that it belongs to, a new one after a pause or when it is full; returns its number. */
  #growStretch(at: Milliseconds, text: string): number {
    const { passages, until } = this.#stretch;
    if (passages > 0 && (at > until || passages >= passagesPerStretch)) {
      this.#indexStretch();
      this.#stretch = { ...noStretch, number: this.#stretch.number + 1 };
    }
    const { number, text: before, passages: count } = this.#stretch;
    this.#stretch = { number, text: `${before}${text}\n`, passages: count + 1, until: at + longestPauseMs };
    this.#isStretchIndexed = false;
    return number;
  }

  #indexStretch(): void {
    const { number, text } = this.#stretch;
    if (this.#isStretchIndexed) return;
    this.#stretches.add({ id: number, text });
    this.#isStretchIndexed = true;
  }

  /** Who may be named. What texts begin with is a name where most of them have one: a `Note:` here and there is none. */
  #speakers(): ReadonlySet<string> {
    return this.#said.named * 2 >= this.#said.all ? this.#names : this.#senders;
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

/** Scores of hits, whose ids are numbers, by their distance from the first one. */
function scoresOf(hits: readonly LexicalHit[], first: number): ReadonlyMap<number, number> {
  const scores = new Map<number, number>();
  for (const { id, score } of hits) scores.set(Number(id) - first, score);
  return scores;
}
