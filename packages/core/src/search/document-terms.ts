import { createPostingLists, larger, type PostingLists } from './posting-lists.ts';
import { knownWords, visitTerms } from './read-terms.ts';
import { createWordTable, hashOf, type WordPlace, type WordTable } from './word-table.ts';

/** Documents by number, in the order in which they were added, and which terms each of them has how often. */
export interface DocumentTerms {
  /** Documents that can be found. */
  live(): number;
  /** Above all numbers of documents. */
  end(): number;
  numberOf(id: string | number): number | undefined;
  idOf(doc: number): string | number;
  add(id: string | number, text: string): void;
  remove(id: string | number): boolean;
  /** What a search runs over: all documents, those that a filter lets through, and groups of them. */
  select(by: Partial<SelectedBy>): Selection;
  /** Which texts of a selection have a term. The array is used again by the next call. */
  postingsOf(term: string, selection: Selection): { readonly postings: Uint32Array; readonly count: number };
}

/** Which documents are searched, and which of them are one text: neighbours with the same group. */
interface SelectedBy {
  readonly filter: ((id: string | number) => boolean) | undefined;
  readonly groupOf: ((id: string | number) => number) | undefined;
}

/** Texts that are searched, each under the number of its first document. */
export interface Selection {
  /** How many there are, and how many terms they have together. */
  readonly count: number;
  readonly length: number;
  /** Of each document the first one of its text and one more, 0 for one that is not searched; `null`: each is a text. */
  readonly leaders: Uint32Array | null;
  /** By the number of the first document, terms of each text, repeats included, and one more. */
  readonly lengths: Uint32Array;
}

/** A posting is the number of a document, and in its lowest byte how often the document has the term. */
const mostTimes = 255;

/** The document of a posting. */
export function docOf(posting: number): number {
  return posting >>> 8;
}

/** How often the document has the term; 255 stands for more, too. */
export function timesOf(posting: number): number {
  return posting & mostTimes;
}

/** Numbers of documents that a posting has room for. */
const mostDocuments = 2 ** 24;

/** Below this many removed documents it is not worth while to write the lists anew. */
const fewRemoved = 64;

/** How much a set of documents holds. */
interface Bounds {
  readonly maxDocuments: number;
  readonly maxTerms: number;
}

/** Makes an empty set of documents. Beyond its bounds the oldest fall out. */
export function createDocumentTerms(bounds: Bounds): DocumentTerms {
  return new BoundedDocuments(bounds);
}

class BoundedDocuments implements DocumentTerms {
  readonly #bounds: Bounds;
  readonly #numbers = new Map<string | number, number>();
  #terms: WordTable = createWordTable();
  /** The term that is looked up. */
  readonly #place: WordPlace = { text: '', start: 0, end: 0, hash: 0 };
  #lists: PostingLists = createPostingLists();
  #ids: (string | number)[] = [];
  /** Terms of each document and one more: 0 stands for one that was removed. */
  #lengths = new Uint32Array(1_024);
  #total = 0;
  #oldest = 0;
  /** By the number of a term of a known word, its number here and one more; 0 when it was not looked up. */
  #knownNumbers = new Uint32Array(256);
  #generation = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  live(): number {
    return this.#numbers.size;
  }

  end(): number {
    return this.#ids.length;
  }

  numberOf(id: string | number): number | undefined {
    return this.#numbers.get(id);
  }

  idOf(doc: number): string | number {
    return this.#ids[doc] as string | number;
  }

  add(id: string | number, text: string): void {
    this.#forget(id);
    this.#insert(id, text);
    this.#shrink();
  }

  remove(id: string | number): boolean {
    const isKnown = this.#forget(id);
    if (isKnown) this.#shrink();
    return isKnown;
  }

  select({ filter, groupOf }: Partial<SelectedBy>): Selection {
    const whole = { count: this.#numbers.size, length: this.#total, leaders: null, lengths: this.#lengths };
    if (filter === undefined && groupOf === undefined) return whole;
    const leaders = new Uint32Array(this.#ids.length);
    const lengths = new Uint32Array(this.#ids.length);
    let [count, length, leader, group] = [0, 0, -1, 0];
    for (const [doc, id] of this.#ids.entries()) {
      if (!this.#isLive(doc) || filter?.(id) === false) continue;
      const own = groupOf === undefined ? doc : groupOf(id);
      if (leader < 0 || own !== group) {
        [leader, group] = [doc, own];
        lengths[leader] = 1;
        count += 1;
      }
      leaders[doc] = leader + 1;
      lengths[leader] = (lengths[leader] as number) + this.#lengthOf(doc);
      length += this.#lengthOf(doc);
    }
    return { count, length, leaders, lengths };
  }

  postingsOf(term: string, { leaders }: Selection): { readonly postings: Uint32Array; readonly count: number } {
    const number = this.#find(term);
    if (number < 0) return { postings: new Uint32Array(0), count: 0 };
    const { postings, count } = this.#lists.read(number);
    let kept = 0;
    let last = -1;
    for (let index = 0; index < count; index += 1) {
      const posting = postings[index] as number;
      const doc = docOf(posting);
      const leader = leaders === null ? (this.#isLive(doc) ? doc : -1) : (leaders[doc] as number) - 1;
      if (leader < 0) continue;
      if (leader === last) {
        const times = timesOf(postings[kept - 1] as number) + timesOf(posting);
        postings[kept - 1] = leader * 256 + Math.min(times, mostTimes);
        continue;
      }
      postings[kept] = leader * 256 + timesOf(posting);
      last = leader;
      kept += 1;
    }
    return { postings, count: kept };
  }

  #lengthOf(doc: number): number {
    return (this.#lengths[doc] as number) - 1;
  }

  #isLive(doc: number): boolean {
    return this.#lengths[doc] !== 0;
  }

  #insert(id: string | number, text: string): void {
    const doc = this.#ids.length;
    if (doc >= this.#lengths.length) {
      this.#lengths = larger(this.#lengths, new Uint32Array(this.#lengths.length * 2));
    }
    let length = 0;
    // The terms that one document may add are bounded, so that it cannot push all others out and still be too large.
    let left = this.#bounds.maxTerms;
    visitTerms(text, (term, known) => {
      let number = this.#numberOf(term, known);
      if (number < 0) {
        if (left === 0) return;
        left -= 1;
        number = this.#add(term);
      }
      length += 1;
      const last = this.#lists.last(number);
      if (last === undefined || docOf(last) !== doc) this.#lists.append(number, doc * 256 + 1);
      else if (timesOf(last) < mostTimes) this.#lists.replaceLast(number, last + 1);
    });
    this.#ids.push(id);
    this.#lengths[doc] = length + 1;
    this.#numbers.set(id, doc);
    this.#total += length;
  }

  /** The number of a term; -1 when no document has had it. Of those of known words it is looked up once. */
  #numberOf(term: string, known: number): number {
    if (known < 0) return this.#find(term);
    if (this.#generation !== knownWords.generation) {
      this.#generation = knownWords.generation;
      this.#knownNumbers.fill(0);
    }
    if (known >= this.#knownNumbers.length) {
      this.#knownNumbers = larger(this.#knownNumbers, new Uint32Array(known * 2 + 2));
    }
    const kept = this.#knownNumbers[known] as number;
    if (kept > 0) return kept - 1;
    const number = this.#find(term);
    this.#knownNumbers[known] = number + 1;
    return number;
  }

  #find(term: string): number {
    return this.#terms.find(this.#placeOf(term));
  }

  #add(term: string): number {
    return this.#terms.add(this.#placeOf(term));
  }

  #placeOf(term: string): WordPlace {
    this.#place.text = term;
    this.#place.end = term.length;
    this.#place.hash = hashOf(term);
    return this.#place;
  }

  #forget(id: string | number): boolean {
    const doc = this.#numbers.get(id);
    if (doc === undefined) return false;
    this.#total -= this.#lengthOf(doc);
    this.#lengths[doc] = 0;
    this.#numbers.delete(id);
    return true;
  }

  #removeOldest(): void {
    while (!this.#isLive(this.#oldest)) this.#oldest += 1;
    this.#forget(this.idOf(this.#oldest));
  }

  #shrink(): void {
    const { maxDocuments, maxTerms } = this.#bounds;
    while (this.#numbers.size > maxDocuments) this.#removeOldest();
    if (this.#terms.size > maxTerms) this.#rebuild();
    while (this.#terms.size > maxTerms && this.#numbers.size > 1) {
      for (let count = Math.ceil((this.#numbers.size - 1) / 8); count > 0; count -= 1) this.#removeOldest();
      this.#rebuild();
    }
    const removed = this.#ids.length - this.#numbers.size;
    if ((removed > fewRemoved && removed > this.#numbers.size) || this.#ids.length >= mostDocuments) this.#rebuild();
  }

  /** Writes everything anew, without what was removed. */
  #rebuild(): void {
    const newNumbers = this.#renumber();
    const [terms, lists] = [this.#terms, this.#lists];
    this.#terms = createWordTable();
    this.#knownNumbers.fill(0);
    this.#lists = createPostingLists();
    for (let number = 0; number < terms.size; number += 1) {
      const { postings, count } = lists.read(number);
      let to = -1;
      for (let index = 0; index < count; index += 1) {
        const posting = postings[index] as number;
        const doc = newNumbers[docOf(posting)] as number;
        if (doc < 0) continue;
        if (to < 0) {
          to = this.#terms.add(terms.placeOf(number));
        }
        this.#lists.append(to, doc * 256 + timesOf(posting));
      }
    }
  }

  /** Closes the gaps between the numbers of the documents; -1 for one that was removed. */
  #renumber(): Int32Array {
    const newNumbers = new Int32Array(this.#ids.length).fill(-1);
    const ids: (string | number)[] = [];
    const lengths = new Uint32Array(Math.max(1_024, this.#numbers.size * 2));
    for (const [doc, id] of this.#ids.entries()) {
      if (!this.#isLive(doc)) continue;
      newNumbers[doc] = ids.length;
      lengths[ids.length] = this.#lengths[doc] as number;
      this.#numbers.set(id, ids.length);
      ids.push(id);
    }
    this.#ids = ids;
    this.#lengths = lengths;
    this.#oldest = 0;
    return newNumbers;
  }
}
