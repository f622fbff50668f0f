import { crcEnding, decodeLine, type JournalRecord } from './journal-line.ts';

/** A record and the bytes it was read from, as offsets in the file; `end` is where its text ends. */
export interface FoundRecord {
  readonly offset: number;
  readonly end: number;
  readonly record: JournalRecord;
}

/** Bytes that hold no record. */
export interface LostBytes {
  readonly offset: number;
  readonly length: number;
}

/** Where an entry may begin; only the keys that an entry or header can begin with, as messages are full of braces. */
const entryStart = /\{"(?:v|id|seq|type|parentId|at|sessionId)":/g;

/** How many beginnings are tried for one ending, and how many endings in vain: each try costs a checksum of the line. */
const mostStarts = 16;
const mostEndings = 32;

/**
 * Finds the records in a line that is not one record: lines that were glued together, the rest of a torn line with a
 * whole one behind it, or a record with something in front or behind.
 */
export function salvage(line: { readonly offset: number; readonly bytes: Buffer }): {
  readonly records: readonly FoundRecord[];
  readonly lost: readonly LostBytes[];
} {
  const { offset, bytes } = line;
  // One character a byte, so that positions in the text are positions in the line.
  const text = bytes.toString('latin1');
  const records: FoundRecord[] = [];
  const lost: LostBytes[] = [];
  let from = 0;
  let inVain = 0;
  for (const match of text.matchAll(crcEnding)) {
    const end = match.index + match[0].length;
    const found = recordEndingAt({ bytes, text, from, end });
    if (found === null) {
      inVain += 1;
      if (inVain === mostEndings) break;
      continue;
    }
    if (found.start > from) lost.push({ offset: offset + from, length: found.start - from });
    records.push({ offset: offset + found.start, end: offset + end, record: found.record });
    from = end;
  }
  if (from < bytes.length) lost.push({ offset: offset + from, length: bytes.length - from });
  return { records, lost };
}

function recordEndingAt(part: {
  readonly bytes: Buffer;
  readonly text: string;
  readonly from: number;
  readonly end: number;
}): { readonly start: number; readonly record: JournalRecord } | null {
  const { bytes, text, from, end } = part;
  const start = text.indexOf('{', from);
  const starts = [...text.slice(from, end).matchAll(entryStart)].map((match) => from + match.index);
  // The first: all before it was read. The last ones: a torn line comes first, and what was glued to it is whole.
  for (const candidate of new Set([start, ...starts.slice(-mostStarts).reverse()])) {
    if (candidate === -1 || candidate >= end) continue;
    const record = decodeLine(bytes.subarray(candidate, end));
    if (record !== null) return { start: candidate, record };
  }
  return null;
}
