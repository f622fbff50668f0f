import type { Seq } from '@varve/core';

/** What a large journal is to be like. */
export interface LargeJournalPlan {
  readonly root: string;
  readonly sessionId: string;
  readonly seed: number;
  /** It ends with the first of both that is reached. */
  readonly bytes: number;
  readonly entries: number;
  /** Mean length of a tool result: a quarter of all messages are one. */
  readonly meanResult: number;
  /** After so many bytes, a line of 1 to 10 MB; 0 for none. */
  readonly longLineEvery: number;
  /** Messages behind the last compaction. */
  readonly behind: number;
}

/** What came of it. */
export interface LargeJournal {
  readonly root: string;
  readonly sessionId: string;
  readonly file: string;
  readonly bytes: number;
  readonly lastSeq: Seq;
  /** The last of those whose ids {@link largeEntryId} gives. */
  readonly bulkSeq: Seq;
  /** The longest line, and how many are longer than 1 MB. */
  readonly longestLine: number;
  readonly longLines: number;
  readonly compactions: number;
  /** What must be read to wake the session: from the first entry that is visible to the end. */
  readonly tailBytes: number;
  /** Where {@link needle} is said. */
  readonly needles: readonly Seq[];
}

/** A word that three messages have: one of the first, one in the middle, one of the last. */
export const needle = 'quokka-7731';

/** The id of the entry with a seq: a ULID whose time grows with it. */
export function largeEntryId(seq: Seq): string {
  return `${base32(timeOfEntry(seq), 10)}${base32(seq, 16)}`;
}

/** When the entry with a seq was stored: one a second. */
export function timeOfEntry(seq: Seq): number {
  return 1_767_225_600_000 + seq * 1_000;
}

const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

function base32(number: number, length: number): string {
  let text = '';
  for (let rest = number; rest > 0; rest = Math.floor(rest / 32)) text = `${digits[rest % 32]}${text}`;
  return text.padStart(length, '0');
}
