import type { Entry, Seq, Tokens } from '@varve/core';
import { dayOf } from './day-of.ts';
import { type Passage, passagesOfEntry } from './passages-of-entry.ts';

/** A passage with the day on which it was said, as `2026-03-02`. */
export interface DatedPassage extends Passage {
  readonly day: string;
}

/** Where passages are read from. */
export interface PassageSource {
  /** Names of tools whose calls and results are left out, as they were when the index was made. */
  readonly skips: ReadonlySet<string>;
  countTokens(text: string): Tokens;
  getEntries(seqs: readonly Seq[]): Promise<readonly Entry[]>;
}

/** Reads what entries say; each entry once. */
export interface PassageReader {
  /** The passages of entries by their seq. What was forgotten, or is off the path, is not there. */
  read(seqs: readonly Seq[]): Promise<ReadonlyMap<Seq, readonly DatedPassage[]>>;
}

/** What is read at once. */
const entriesAtOnce = 500;

/** Makes a reader for one prompt. */
export function createPassageReader({ skips, countTokens, getEntries }: PassageSource): PassageReader {
  const known = new Map<Seq, readonly DatedPassage[]>();
  const asked = new Set<Seq>();
  return {
    read: async (seqs) => {
      const missing = [...new Set(seqs)].filter((seq) => !asked.has(seq));
      for (let from = 0; from < missing.length; from += entriesAtOnce) {
        const some = missing.slice(from, from + entriesAtOnce);
        for (const seq of some) asked.add(seq);
        for (const entry of await getEntries(some)) {
          if (entry.type !== 'message') continue;
          const day = dayOf(entry.at);
          known.set(
            entry.seq,
            passagesOfEntry(entry, { count: countTokens, skips }).map((passage) => ({ ...passage, day })),
          );
        }
      }
      return known;
    },
  };
}
