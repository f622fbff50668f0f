import { createPostingLists, type PostingLists } from './posting-lists.ts';
import { ownCopy, visitTerms } from './read-terms.ts';

/** Documents by number, in the order in which they were added, and which terms each of them has how often. */
export interface DocumentTerms {
  /** Documents that can be found. */
  live(): number;
  /** Above all numbers of documents. */
  end(): number;
  numberOf(id: string | number): number | undefined;
  idOf(doc: number): string | number;
  /** Terms of a document, repeats included. */
  lengthOf(doc: number): number;
  add(id: string | number, text: string): void;
  remove(id: string | number): boolean;
  /** All documents, as what a search runs over. */
  all(): Selection;
  /** The documents that a filter lets through. */
  where(filter: (id: string | number) => boolean): Selection;
  /** The documents that have a term, among those allowed. The array is used again by the next call. */
  postingsOf(term: string, allowed: Selection['allowed']): { readonly postings: Uint32Array; readonly count: number };
}

/** Some of the documents: how many, how many terms they have together, and which: not 0 by number, `null` = all. */
export interface Selection {
  readonly count: number;
  readonly length: number;
  readonly allowed: Uint8Array | null;
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
  #terms = new Map<string, number>();
  #lists: PostingLists = createPostingLists();
  #ids: (string | number)[] = [];
  /** Terms of each document and one more: 0 stands for one that was removed. */
  #lengths = new Uint32Array(1_024);
  #total = 0;
  #oldest = 0;

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

  lengthOf(doc: number): number {
    return (this.#lengths[doc] as number) - 1;
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

  all(): Selection {
    return { count: this.#numbers.size, length: this.#total, allowed: null };
  }

  where(filter: (id: string | number) => boolean): Selection {
    const allowed = new Uint8Array(this.#ids.length);
    let count = 0;
    let length = 0;
    for (const [doc, id] of this.#ids.entries()) {
      if (!this.#isLive(doc) || !filter(id)) continue;
      allowed[doc] = 1;
      count += 1;
      length += this.lengthOf(doc);
    }
    return { count, length, allowed };
  }

  postingsOf(term: string, allowed: Uint8Array | null): { readonly postings: Uint32Array; readonly count: number } {
    const number = this.#terms.get(term);
    if (number === undefined) return { postings: new Uint32Array(0), count: 0 };
    const { postings, count } = this.#lists.read(number);
    let kept = 0;
    for (let index = 0; index < count; index += 1) {
      const posting = postings[index] as number;
      const doc = docOf(posting);
      if (!this.#isLive(doc) || (allowed !== null && allowed[doc] === 0)) continue;
      postings[kept] = posting;
      kept += 1;
    }
    return { postings, count: kept };
  }

  #isLive(doc: number): boolean {
    return this.#lengths[doc] !== 0;
  }

  #insert(id: string | number, text: string): void {
    const doc = this.#ids.length;
    if (doc >= this.#lengths.length) {
      const lengths = new Uint32Array(this.#lengths.length * 2);
      lengths.set(this.#lengths);
      this.#lengths = lengths;
    }
    let length = 0;
    // The terms that one document may add are bounded, so that it cannot push all others out and still be too large.
    let left = this.#bounds.maxTerms;
    visitTerms(text, (term) => {
      let number = this.#terms.get(term);
      if (number === undefined) {
        if (left === 0) return;
        left -= 1;
        number = this.#terms.size;
        this.#terms.set(ownCopy(term), number);
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

  #forget(id: string | number): boolean {
    const doc = this.#numbers.get(id);
    if (doc === undefined) return false;
    this.#total -= this.lengthOf(doc);
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
    this.#terms = new Map();
    this.#lists = createPostingLists();
    for (const [term, number] of terms) {
      const { postings, count } = lists.read(number);
      let to = -1;
      for (let index = 0; index < count; index += 1) {
        const posting = postings[index] as number;
        const doc = newNumbers[docOf(posting)] as number;
        if (doc < 0) continue;
        if (to < 0) {
          to = this.#terms.size;
          this.#terms.set(term, to);
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
