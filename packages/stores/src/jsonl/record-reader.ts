import type { Entry, Seq } from '@varve/core';
import { type FoundRecord, salvage } from './damaged-line.ts';
import type { OpenFile } from './file-system.ts';
import { decodeLine, type EntryRecord } from './journal-line.ts';
import { type ByteRange, type Line, readLines } from './line-reader.ts';
import type { ReportRepair } from './repair-report.ts';

/** An entry with its place in the file. */
export interface PlacedEntry {
  /** Where its text begins; the start of a line, unless lines were glued. */
  readonly offset: number;
  readonly record: EntryRecord;
}

/** Reads the records of one line: one, unless the line is damaged. Reports what it had to skip. */
export function recordsOf(line: Line, report?: ReportRepair): readonly FoundRecord[] {
  const { offset, bytes } = line;
  const record = decodeLine(bytes);
  if (record !== null) return [{ offset, end: offset + bytes.length, record }];
  const { records, lost } = salvage(line);
  if (report !== undefined) {
    if (records.length > 0) report({ kind: 'glued-lines', offset, length: bytes.length });
    // A bad first line is the header's matter, which is reported when the journal is opened.
    for (const place of lost) if (place.offset > 0) report({ kind: 'bad-line', ...place });
  }
  return records;
}

/** Streams the entries of a range of the file, as many at a time as a chunk holds. */
export async function* readEntries(
  file: OpenFile,
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

/** The seq of an entry that was read. */
export function seqOf(placed: { readonly record: { readonly entry: Entry } }): Seq {
  return placed.record.entry.seq;
}
