import type { Entry, Seq } from '@varve/core';
import type { ReadableFile } from './file-system.ts';
import { readLines } from './line-reader.ts';
import { type PlacedEntry, readEntries, recordsOf, seqOf } from './record-reader.ts';
import type { ReportRepair } from './repair-report.ts';
import type { SeqIndex } from './seq-index.ts';

/** A stretch that is read through rather than halved again. */
const shortStretch = 65_536;

/** Where it is looked first when nothing says how far seqs have come, as a share of the stretch. */
const half = 0.5;

/** So much before where a seq would be if all lines had one length: it is behind that, and often not far. */
const nearby = 32_768;

/** How much is read to find one line; most are shorter. */
const probe = 8_192;

/** What a search needs. */
export interface SearchOptions {
  /** The end of what may be read. */
  readonly end: number;
  /** Seq of the last entry. @default not known */
  readonly lastSeq?: Seq;
  /** Where lines of the newest entries begin. @default not known */
  readonly newest?: ReadonlyMap<Seq, number> | undefined;
  readonly index: SeqIndex;
  readonly report: ReportRepair;
}

/**
 * Finds where the first entry begins whose seq is `seq` or higher; `end` when there is none.
 *
 * Seqs only grow along the file, so the search halves it, after a look where the seq would be if all lines had one length:
 * some twenty short reads in a file of 1 GB, fewer when the index knows places nearby. Every place that was found goes into
 * the index.
 */
export async function locateSeq(file: ReadableFile, seq: Seq, options: SearchOptions): Promise<number> {
  const { end, index, lastSeq, newest } = options;
  const known = newest?.get(seq);
  if (known !== undefined) return known;
  const before = index.before(seq);
  const behind = index.from(seq) ?? (lastSeq === undefined ? undefined : { seq: lastSeq + 1, offset: end });
  const from = before?.offset ?? 0;
  const to = Math.min(behind?.offset ?? end, end);
  const share = behind === undefined ? half : (seq - (before?.seq ?? 0)) / (behind.seq - (before?.seq ?? 0));
  const first = Math.floor(from + (to - from) * share) - nearby;
  const found = await halve(file, { from, to, first, isBefore: (entry) => entry.seq < seq }, options);
  return found?.offset ?? to;
}

/**
 * Finds an entry by its id in a file where ids grow with seqs, as those that one process mints do; `null` when it is not
 * where it would stand then.
 */
export async function locateId(file: ReadableFile, id: string, options: SearchOptions): Promise<Entry | null> {
  const { end } = options;
  const first = Math.floor(end * half);
  const found = await halve(file, { from: 0, to: end, first, isBefore: (entry) => entry.id < id }, options);
  return found?.record.entry.id === id ? found.record.entry : null;
}

/** Finds the first entry of a stretch that is not before what is looked for; `null` when none of its lines is. */
async function halve(
  file: ReadableFile,
  stretch: { readonly from: number; readonly to: number; readonly first: number; isBefore(entry: Entry): boolean },
  options: SearchOptions,
): Promise<PlacedEntry | null> {
  const { isBefore } = stretch;
  let low = stretch.from;
  let high = stretch.to;
  let answer: PlacedEntry | null = null;
  let next = stretch.first;
  while (high - low > shortStretch) {
    const middle = Math.max(low, Math.min(next, high - 1));
    const found = await firstEntryBetween(file, { from: middle, to: high }, options);
    if (found !== null) options.index.note({ seq: seqOf(found), offset: found.offset });
    if (found !== null && isBefore(found.record.entry)) {
      low = found.offset;
    } else {
      answer = found ?? answer;
      high = middle;
    }
    next = low + Math.floor((high - low) / 2);
  }
  const rest = { from: low, to: answer?.offset ?? stretch.to, report: options.report };
  for await (const entries of readEntries(file, rest)) {
    const found = entries.find(({ record }) => !isBefore(record.entry));
    if (found !== undefined) return found;
  }
  return answer;
}

/** The first entry on a line that begins behind `from` and before `to`. */
async function firstEntryBetween(
  file: ReadableFile,
  { from, to }: { readonly from: number; readonly to: number },
  { end, index, report }: SearchOptions,
): Promise<PlacedEntry | null> {
  const begin = index.behindGap(from);
  if (begin >= to) return null;
  // The search lands in the middle of a line. Where it is known to begin, it begins behind a line feed.
  const landed = begin === from ? from : begin - 1;
  for await (const lines of readLines(file, { from: landed, to: end, firstChunk: probe })) {
    for (const line of lines) {
      if (line.offset === landed) {
        index.noteGap({ from, to: line.offset + line.length + 1 });
        continue;
      }
      if (line.offset >= to) return null;
      for (const { offset, record } of recordsOf(line, report)) {
        if (record.kind === 'entry') return { offset, record };
      }
    }
  }
  return null;
}
