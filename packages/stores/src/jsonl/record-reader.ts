import type { Entry, Seq } from '@varve/core';
import { type Found, type LostBytes, salvage } from './damaged-line.ts';
import type { ReadableFile } from './file-system.ts';
import { decodeLine, type EntryRecord, type JournalRecord } from './journal-line.ts';
import { type ByteRange, type Line, readLines } from './line-reader.ts';
import type { ReportRepair } from './repair-report.ts';
import { endsWithCarriageReturn } from './sealed-line.ts';

/** An entry with its place in the file. */
export interface PlacedEntry {
  /** Where its text begins; the start of a line, unless lines were glued. */
  readonly offset: number;
  readonly record: EntryRecord;
}

/** What a line holds, and the bytes of it that are nothing. */
export interface SalvagedLine<LineRecord> {
  readonly records: readonly Found<LineRecord>[];
  readonly lost: readonly LostBytes[];
}

/** What some programs put in front of UTF-8. */
export const byteOrderMark: Buffer = Buffer.from('\ufeff');

/** Reads the records of one line: one, unless the line is damaged. */
export function splitLine<LineRecord>(
  line: Line,
  decode: (bytes: Buffer) => LineRecord | null,
): SalvagedLine<LineRecord> {
  const { offset, bytes, length } = line;
  if (bytes.length < length) return { records: [], lost: [{ offset, length }] };
  const record = decode(bytes);
  return record === null ? salvage(line, decode) : { records: [{ offset, end: offset + length, record }], lost: [] };
}

/** Reads the records of one line of a journal. Reports what it had to skip. */
export function recordsOf(line: Line, report?: ReportRepair): readonly Found<JournalRecord>[] {
  const { offset, bytes, length } = line;
  if (offset === 0 && bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark)) {
    report?.({ kind: 'byte-order-mark', offset, length: byteOrderMark.length });
    const rest = bytes.subarray(byteOrderMark.length);
    return recordsOf({ ...line, offset: byteOrderMark.length, bytes: rest, length: rest.length }, report);
  }
  const { records, lost } = splitLine(line, decodeLine);
  if (report === undefined) return records;
  const isOne = records.length === 1 && lost.length === 0;
  // Told once a journal: each of its lines may end so.
  if (isOne && endsWithCarriageReturn(bytes)) report({ kind: 'carriage-return', offset: 0, length: 0 });
  if (records.length > 0 && !isOne) report({ kind: 'glued-lines', offset, length });
  // A bad first line is the header's matter, which is reported when the journal is opened.
  for (const place of lost) if (place.offset > 0) report({ kind: 'bad-line', ...place });
  return records;
}

/** Streams the entries of a range of the file, as many at a time as a chunk holds. */
export async function* readEntries(
  file: ReadableFile,
  { report, ...range }: ByteRange & { readonly report: ReportRepair },
): AsyncGenerator<readonly PlacedEntry[]> {
  for await (const lines of readLines(file, range)) {
    const entries: PlacedEntry[] = [];
    for (const line of lines) {
      for (const { offset, record } of recordsOf(line, report)) {
        if (record.kind === 'entry') entries.push({ offset, record });
      }
    }
    if (entries.length > 0) yield entries;
  }
}

/** Lets entries pass that are in order, and is told of damage as it is come upon. */
interface EntryOrder {
  readonly report: ReportRepair;
  /** Those of the next entries that are in order. */
  pass(entries: readonly PlacedEntry[]): readonly PlacedEntry[];
}

/**
 * Makes a filter that lets each seq pass once: of several entries with one seq the first counts, and one whose seq is lower
 * than that of an entry before is out of place. Reports those, and seqs that are missing.
 *
 * @param options.isBeginning  Whether they come from the beginning of the journal on: then the first has seq 1.
 */
export function createEntryOrder({
  isBeginning,
  report,
}: {
  readonly isBeginning: boolean;
  readonly report: ReportRepair;
}): EntryOrder {
  let bad: number[] = [];
  let last = isBeginning ? { seq: 0, offset: 0 } : null;
  const isInOrder = (placed: PlacedEntry): boolean => {
    const { offset } = placed;
    const seq = seqOf(placed);
    const before = last;
    if (before !== null && seq <= before.seq) {
      report({ kind: 'duplicate-entry', offset, length: 0 });
      return false;
    }
    last = { seq, offset };
    // Where bytes were lost between the two, that has been told.
    const isGap = before !== null && seq > before.seq + 1;
    if (isGap && !bad.some((at) => at > before.offset && at < offset)) {
      report({ kind: 'missing-entry', offset, length: 0 });
    }
    return true;
  };
  return {
    report: (damage) => {
      if (damage.kind === 'bad-line') bad.push(damage.offset);
      report(damage);
    },
    pass: (entries) => {
      const passed = entries.filter(isInOrder);
      if (bad.length > 1) bad = bad.slice(-1);
      return passed;
    },
  };
}

/** Streams entries as {@link readEntries} does, those that are in order: see {@link createEntryOrder}. */
export async function* readEntriesInOrder(
  file: ReadableFile,
  { report, ...range }: ByteRange & { readonly report: ReportRepair },
): AsyncGenerator<readonly PlacedEntry[]> {
  const order = createEntryOrder({ isBeginning: range.from === 0, report });
  for await (const entries of readEntries(file, { ...range, report: order.report })) {
    const inOrder = order.pass(entries);
    if (inOrder.length > 0) yield inOrder;
  }
}

/** The seq of an entry that was read. */
export function seqOf(placed: { readonly record: { readonly entry: Entry } }): Seq {
  return placed.record.entry.seq;
}
