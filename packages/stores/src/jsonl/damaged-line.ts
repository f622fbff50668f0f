import { crcEnding, crcStart } from './sealed-line.ts';

/** A record and the bytes it was read from, as offsets in the file; `end` is where its text ends. */
export interface Found<LineRecord> {
  readonly offset: number;
  readonly end: number;
  readonly record: LineRecord;
}

/** Reads one line; `null` when it is damaged, or of no use. */
type Decode<LineRecord> = (bytes: Buffer) => LineRecord | null;

/** Bytes that hold no record. */
export interface LostBytes {
  readonly offset: number;
  readonly length: number;
}

/** Where a record may begin; only the keys that one can begin with, as messages are full of braces. */
const entryStart = /\{"(?:v|id|seq|type|parentId|at|sessionId)":/g;

/** How many beginnings are tried for one ending, and how many endings in vain: each try costs a checksum of the line. */
const mostStarts = 16;
const mostEndings = 32;

/** Bytes that may be summed up in one line, as a multiple of its length: a long line with many beginnings has an end. */
const mostPasses = 40;

/**
 * Finds the records in a line that is not one record: lines that were glued together, the rest of a torn line with a
 * whole one behind it, or a record with something in front or behind.
 */
export function salvage<LineRecord>(
  line: { readonly offset: number; readonly bytes: Buffer },
  decode: Decode<LineRecord>,
): { readonly records: readonly Found<LineRecord>[]; readonly lost: readonly LostBytes[] } {
  const { offset, bytes } = line;
  // Megabytes of zeros, as a loss of power leaves them, need not become a text.
  if (!bytes.includes(crcStart)) return { records: [], lost: [{ offset, length: bytes.length }] };
  // One character a byte, so that positions in the text are positions in the line.
  const text = bytes.toString('latin1');
  const records: Found<LineRecord>[] = [];
  const lost: LostBytes[] = [];
  const budget = { bytes: bytes.length * mostPasses };
  let from = 0;
  let inVain = 0;
  for (const match of text.matchAll(crcEnding)) {
    const end = match.index + match[0].length;
    const found = recordEndingAt({ bytes, text, from, end, budget }, decode);
    if (found === null) {
      inVain += 1;
      if (inVain === mostEndings || budget.bytes <= 0) break;
      continue;
    }
    if (found.start > from) lost.push({ offset: offset + from, length: found.start - from });
    records.push({ offset: offset + found.start, end: offset + end, record: found.record });
    from = end;
  }
  if (from < bytes.length) lost.push({ offset: offset + from, length: bytes.length - from });
  return { records, lost };
}

interface LinePart {
  readonly bytes: Buffer;
  readonly text: string;
  readonly from: number;
  readonly end: number;
  /** How much may still be tried. */
  readonly budget: { bytes: number };
}

function recordEndingAt<LineRecord>(
  { bytes, text, from, end, budget }: LinePart,
  decode: Decode<LineRecord>,
): { readonly start: number; readonly record: LineRecord } | null {
  const start = text.indexOf('{', from);
  const starts: number[] = [];
  for (const match of text.slice(from, end).matchAll(entryStart)) {
    starts.push(from + match.index);
    if (starts.length > mostStarts) starts.shift();
  }
  // The first: all before it was read. The last ones: a torn line comes first, and what was glued to it is whole.
  for (const candidate of new Set([start, ...starts.reverse()])) {
    if (candidate === -1 || candidate >= end || budget.bytes <= 0) continue;
    budget.bytes -= end - candidate;
    const record = decode(bytes.subarray(candidate, end));
    if (record !== null) return { start: candidate, record };
  }
  return null;
}
