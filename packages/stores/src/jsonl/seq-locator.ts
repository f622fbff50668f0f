import type { Seq } from '@varve/core';
import type { OpenFile } from './file-system.ts';
import { readLines } from './line-reader.ts';
import { readEntries, recordsOf, seqOf } from './record-reader.ts';
import type { ReportRepair } from './repair-report.ts';
import type { SeqIndex, SeqPlace } from './seq-index.ts';

/** A stretch that is read through rather than halved again. */
const shortStretch = 65_536;

/** How much is read to find one line; most are shorter. */
const probe = 8_192;

/** What a search needs. */
export interface SearchOptions {
  /** The end of what may be read. */
  readonly end: number;
  readonly index: SeqIndex;
  readonly report: ReportRepair;
}

/**
 * Finds where the first entry begins whose seq is `seq` or higher; `end` when there is none.
 *
 * Seqs only grow along the file, so the search halves it: some thirty short reads in a file of 1 GB, fewer when the
 * index knows places nearby. Every place that was found goes into the index.
 */
export async function locateSeq(file: OpenFile, seq: Seq, options: SearchOptions): Promise<number> {
  const { end, index, report } = options;
  let low = index.before(seq)?.offset ?? 0;
  let answer = Math.min(index.from(seq)?.offset ?? end, end);
  let high = answer;
  while (high - low > shortStretch) {
    const middle = low + Math.floor((high - low) / 2);
    const found = await firstEntryBetween(file, { from: middle, to: high }, options);
    if (found === null) {
      high = middle;
      continue;
    }
    index.note(found);
    if (found.seq < seq) {
      low = found.offset;
    } else {
      answer = found.offset;
      high = middle;
    }
  }
  for await (const entries of readEntries(file, { from: low, to: answer, report })) {
    const found = entries.find((entry) => seqOf(entry) >= seq);
    if (found !== undefined) return found.offset;
  }
  return answer;
}

/** The first entry on a line that begins behind `from` and before `to`. */
async function firstEntryBetween(
  file: OpenFile,
  { from, to }: { readonly from: number; readonly to: number },
  { end, report }: SearchOptions,
): Promise<SeqPlace | null> {
  for await (const lines of readLines(file, { from, to: end, firstChunk: probe })) {
    for (const line of lines) {
      if (line.offset >= to) return null;
      // The search lands in the middle of a line.
      if (line.offset === from) continue;
      for (const { offset, record } of recordsOf(line, report)) {
        if (record.kind === 'entry') return { seq: record.entry.seq, offset };
      }
    }
  }
  return null;
}
