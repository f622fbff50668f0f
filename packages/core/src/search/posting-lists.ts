/**
 * Lists of 32-bit numbers by term number, in the order in which they were added. A list lives in blocks of pages that
 * never move, so that a million short lists take little more than their numbers.
 */
export interface PostingLists {
  /** Adds a number at the end of a term's list. Term numbers begin at 0 and have no gaps. */
  append(term: number, posting: number): void;
  /** The last number of a list; `undefined` when it is empty. */
  last(term: number): number | undefined;
  /** Puts another number in place of the last one of a list that is not empty. */
  replaceLast(term: number, posting: number): void;
  /** The numbers of a list. The array is used again by the next call, and may be longer than the list. */
  read(term: number): { readonly postings: Uint32Array; readonly count: number };
}

/** Words of a page: 256 kB. An address is the page's number and, in the lower 16 bits, the place in the page. */
const pageBits = 16;
const pageWords = 2 ** pageBits;

/** Sizes of the blocks of a list, the first word of each being the address of the next block; the last size goes on. */
const blockSizes: readonly number[] = [4, 9, 20, 45, 100, 256];

/** Makes empty lists. */
export function createPostingLists(): PostingLists {
  return new PagedLists();
}

class PagedLists implements PostingLists {
  #pages: Uint32Array[] = [];
  #free = 0;
  #buffer = new Uint32Array(256);
  // Of each term: its first number, which needs no block, how many it has, and where its blocks begin and end.
  #firsts = new Uint32Array(1_024);
  #counts = new Uint32Array(1_024);
  #heads = new Uint32Array(1_024);
  #ends = new Uint32Array(1_024);
  #rooms = new Uint16Array(1_024);
  #blocks = new Uint32Array(1_024);

  append(term: number, posting: number): void {
    if (term >= this.#counts.length) this.#growTerms();
    const count = this.#counts[term] as number;
    this.#counts[term] = count + 1;
    if (count === 0) {
      this.#firsts[term] = posting;
      return;
    }
    if (this.#rooms[term] === 0) this.#addBlock(term);
    const end = this.#ends[term] as number;
    this.#setWord(end, posting);
    this.#ends[term] = end + 1;
    this.#rooms[term] = (this.#rooms[term] as number) - 1;
  }

  last(term: number): number | undefined {
    const count = this.#counts[term] ?? 0;
    if (count === 0) return undefined;
    if (count === 1) return this.#firsts[term];
    const address = (this.#ends[term] as number) - 1;
    return (this.#pages[address >>> pageBits] as Uint32Array)[address % pageWords];
  }

  replaceLast(term: number, posting: number): void {
    if (this.#counts[term] === 1) this.#firsts[term] = posting;
    else this.#setWord((this.#ends[term] as number) - 1, posting);
  }

  read(term: number): { readonly postings: Uint32Array; readonly count: number } {
    const count = this.#counts[term] ?? 0;
    if (count > this.#buffer.length) this.#buffer = new Uint32Array(count * 2);
    const postings = this.#buffer;
    if (count > 0) postings[0] = this.#firsts[term] as number;
    let block = this.#heads[term] ?? 0;
    for (let read = 1, ordinal = 0; read < count; ordinal += 1) {
      const page = this.#pages[block >>> pageBits] as Uint32Array;
      const start = block % pageWords;
      const length = Math.min(sizeOfBlock(ordinal) - 1, count - read);
      for (let index = 0; index < length; index += 1) postings[read + index] = page[start + 1 + index] as number;
      read += length;
      block = page[start] as number;
    }
    return { postings, count };
  }

  #setWord(address: number, word: number): void {
    (this.#pages[address >>> pageBits] as Uint32Array)[address % pageWords] = word;
  }

  #addBlock(term: number): void {
    const ordinal = this.#blocks[term] as number;
    const address = this.#takeBlock(sizeOfBlock(ordinal));
    if (ordinal === 0) this.#heads[term] = address;
    // The first word of the block that is full, which ends where the list does.
    else this.#setWord((this.#ends[term] as number) - sizeOfBlock(ordinal - 1), address);
    this.#blocks[term] = ordinal + 1;
    this.#ends[term] = address + 1;
    this.#rooms[term] = sizeOfBlock(ordinal) - 1;
  }

  #takeBlock(size: number): number {
    if ((this.#free % pageWords) + size > pageWords) this.#free = Math.ceil(this.#free / pageWords) * pageWords;
    if (this.#free >>> pageBits >= this.#pages.length) this.#pages.push(new Uint32Array(pageWords));
    const address = this.#free;
    this.#free += size;
    return address;
  }

  #growTerms(): void {
    const terms = this.#counts.length * 2;
    this.#firsts = larger(this.#firsts, new Uint32Array(terms));
    this.#counts = larger(this.#counts, new Uint32Array(terms));
    this.#heads = larger(this.#heads, new Uint32Array(terms));
    this.#ends = larger(this.#ends, new Uint32Array(terms));
    this.#rooms = larger(this.#rooms, new Uint16Array(terms));
    this.#blocks = larger(this.#blocks, new Uint32Array(terms));
  }
}

/** Puts numbers into an array that has room for more. */
export function larger<Words extends Uint32Array | Uint16Array | Int32Array>(words: Words, room: Words): Words {
  room.set(words);
  return room;
}

function sizeOfBlock(ordinal: number): number {
  return blockSizes[Math.min(ordinal, blockSizes.length - 1)] as number;
}
