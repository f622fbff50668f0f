import { larger } from './posting-lists.ts';

/** A word in a text, with its hash. It is used again for each word: nothing is made for one that is known. */
export interface WordPlace {
  text: string;
  start: number;
  end: number;
  hash: number;
}

let seed = 0;

/**
 * The hash of no code units; {@link hashWith} adds one. Another one in each process, so that nobody can write a text whose
 * words all have the same; no result depends on it.
 */
export function emptyHash(): number {
  // Not before it is needed: some runtimes have no random numbers while modules are loaded.
  if (seed === 0) seed = Math.floor(Math.random() * 0x7fffffff) + 1;
  return seed;
}

/** The hash of a word from that of all but its last code unit. */
export function hashWith(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193);
}

/** Words by number, found without cutting them out of their texts; numbers begin at 0 and have no gaps. */
export interface WordTable {
  readonly size: number;
  /** The number of a word; -1 when it is not there. */
  find(place: WordPlace): number;
  /** Adds a word that is not there, and returns its number. */
  add(place: WordPlace): number;
  /** The word of a number, in a text of its own. */
  placeOf(word: number): WordPlace;
  clear(): void;
}

/** Makes an empty table. */
export function createWordTable(): WordTable {
  return new HashedWords();
}

class HashedWords implements WordTable {
  #count = 0;
  /** By hash, the number of a word and one more; 0 for a free place. */
  #places = new Uint32Array(2_048);
  // Of each word its hash, and where its code units begin; they end where those of the next word begin.
  #hashes = new Int32Array(1_024);
  #unitStarts = new Uint32Array(1_025);
  #units = new Uint16Array(8_192);

  get size(): number {
    return this.#count;
  }

  find(place: WordPlace): number {
    const mask = this.#places.length - 1;
    for (let at = spread(place.hash) & mask; ; at = (at + 1) & mask) {
      const word = (this.#places[at] as number) - 1;
      if (word < 0) return -1;
      if (this.#hashes[word] === place.hash && this.#isSame(word, place)) return word;
    }
  }

  add({ text, start, end, hash }: WordPlace): number {
    const word = this.#count;
    const from = this.#unitStarts[word] as number;
    const to = from + end - start;
    if (to > this.#units.length) this.#units = larger(this.#units, new Uint16Array(to * 2));
    if (word === this.#hashes.length) this.#grow();
    for (let index = start; index < end; index += 1) this.#units[from + index - start] = text.charCodeAt(index);
    this.#hashes[word] = hash;
    this.#unitStarts[word + 1] = to;
    this.#count = word + 1;
    this.#place(word);
    return word;
  }

  placeOf(word: number): WordPlace {
    const text = String.fromCharCode(...this.#units.subarray(this.#unitStarts[word], this.#unitStarts[word + 1]));
    return { text, start: 0, end: text.length, hash: this.#hashes[word] as number };
  }

  clear(): void {
    this.#count = 0;
    this.#places.fill(0);
  }

  #isSame(word: number, { text, start, end }: WordPlace): boolean {
    const from = this.#unitStarts[word] as number;
    if ((this.#unitStarts[word + 1] as number) - from !== end - start) return false;
    for (let index = start; index < end; index += 1) {
      if (this.#units[from + index - start] !== text.charCodeAt(index)) return false;
    }
    return true;
  }

  #place(word: number): void {
    const mask = this.#places.length - 1;
    let at = spread(this.#hashes[word] as number) & mask;
    while (this.#places[at] !== 0) at = (at + 1) & mask;
    this.#places[at] = word + 1;
  }

  /** Makes room for twice as many words; of the places, at most half are taken. */
  #grow(): void {
    const words = this.#hashes.length * 2;
    this.#hashes = larger(this.#hashes, new Int32Array(words));
    this.#unitStarts = larger(this.#unitStarts, new Uint32Array(words + 1));
    this.#places = new Uint32Array(words * 2);
    for (let word = 0; word < this.#count; word += 1) this.#place(word);
  }
}

/** The hash of a whole text. */
export function hashOf(text: string): number {
  let hash = emptyHash();
  for (let index = 0; index < text.length; index += 1) hash = hashWith(hash, text.charCodeAt(index));
  return hash;
}

/** The lower bits of a hash depend on all of it. */
function spread(hash: number): number {
  return hash ^ (hash >>> 15);
}
