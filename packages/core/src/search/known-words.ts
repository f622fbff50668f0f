import { createWordTable, type WordPlace } from './word-table.ts';

/** Terms of words met before: most words of most texts. Terms have numbers, so that one can keep something for each. */
export interface KnownWords {
  /** Changes when all are forgotten, and terms have other numbers. */
  readonly generation: number;
  /** The number of a word; -1 when it is not known. */
  find(place: WordPlace): number;
  /** Remembers a word that is not known and returns its number; -1 when there are too many already. */
  add(place: WordPlace, terms: readonly string[]): number;
  /** The number of a word's first term; those of the others follow, up to that of the next word. */
  firstTerm(word: number): number;
  /** The term of a number. */
  term(number: number): string;
  /** Forgets all when there are too many. */
  makeRoom(): void;
}

/** Most words: about as many as a person knows. They take some 3 MB. */
const maxWords = 32_768;

/** Knows no word yet. */
export function createKnownWords(): KnownWords {
  const words = createWordTable();
  let generation = 0;
  let terms: string[] = [];
  let starts = [0];
  return {
    get generation() {
      return generation;
    },
    find: (place) => words.find(place),
    add: (place, own) => {
      if (words.size === maxWords) return -1;
      terms.push(...own);
      starts.push(terms.length);
      return words.add(place);
    },
    firstTerm: (word) => starts[word] as number,
    term: (number) => terms[number] as string,
    makeRoom: () => {
      if (words.size < maxWords) return;
      generation += 1;
      words.clear();
      terms = [];
      starts = [0];
    },
  };
}
