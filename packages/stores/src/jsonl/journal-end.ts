import type { Seq } from '@varve/core';
import type { Found } from './damaged-line.ts';
import type { OpenFile } from './file-system.ts';
import type { JournalRecord } from './journal-line.ts';
import { type BackwardReads, type Line, readLinesBackwards } from './line-reader.ts';
import { recordsOf } from './record-reader.ts';

/** Where the part of a journal ends that can be relied on. What follows belongs to an append that was not finished. */
export interface JournalEnd {
  /** Offset behind the last line; 0 when not even a header can be read. */
  readonly end: number;
  readonly lastSeq: Seq;
  /** True when the last line lacks its line feed. */
  readonly lacksLineFeed: boolean;
  /** Where lines of the newest entries begin, by seq; none when they stand out of order. @default not known */
  readonly newest?: ReadonlyMap<Seq, number>;
}

/** How far behind the last entry a higher seq is looked for: only in files that were put together by hand is there one. */
const disorder = { lines: 16, bytes: 32_768 } as const;

/** So much that one read is usually enough. */
const reads: BackwardReads = { chunk: 49_152, sameFor: 65_536 };

/**
 * Finds the end by reading backwards from `size`, usually in one read.
 *
 * An append counts when its last line (`more: 0`) is whole. A damaged line that has its line feed was whole once, so it
 * may have been that last line: it, and all before it, stays.
 */
export async function findEnd(file: OpenFile, size: number): Promise<JournalEnd> {
  let end = size;
  let lacksLineFeed = false;
  let isSealed = false;
  let lastSeq = 0;
  let looked = 0;
  let isLastLine = true;
  const newest = new NewestPlaces();
  reading: for await (const lines of readLinesBackwards(file, size, reads)) {
    for (const line of lines) {
      const records = recordsOf(line);
      if (isSealed) {
        lastSeq = Math.max(lastSeq, highestSeq(records));
      } else {
        const complete = records.findLast(({ record }) => record.kind === 'header' || record.more === 0);
        if (complete !== undefined) {
          isSealed = true;
          lacksLineFeed = !line.isTerminated || complete !== records.at(-1);
          // Behind the last line of all are line feeds alone, if anything.
          end = lacksLineFeed ? complete.end : isLastLine ? size : line.offset + line.length + 1;
          lastSeq = highestSeq(records, complete.end);
        } else if (records.length === 0 && line.isTerminated) {
          isSealed = true;
        } else {
          end = line.offset;
        }
      }
      isLastLine = false;
      if (isSealed) newest.note(line, records);
      if (lastSeq === 0) continue;
      looked += 1;
      if (looked === disorder.lines || line.offset < size - disorder.bytes) break reading;
    }
  }
  return isSealed
    ? { end, lastSeq, lacksLineFeed, newest: newest.found }
    : { end: 0, lastSeq: 0, lacksLineFeed: false };
}

/** Where entries begin that have a line of their own, told of backwards; nowhere when their seqs do not grow. */
class NewestPlaces {
  readonly #offsets = new Map<Seq, number>();
  #before = Number.POSITIVE_INFINITY;
  #isOrdered = true;

  get found(): ReadonlyMap<Seq, number> {
    return this.#isOrdered ? this.#offsets : new Map();
  }

  note({ offset, length }: Line, records: readonly Found<JournalRecord>[]): void {
    for (const { record, offset: begin, end } of records.toReversed()) {
      if (record.kind !== 'entry') continue;
      this.#isOrdered &&= record.entry.seq < this.#before;
      this.#before = record.entry.seq;
      if (begin === offset && end === offset + length) this.#offsets.set(record.entry.seq, offset);
    }
  }
}

/** The highest seq of the records that end at `end` or before; 0 for none. */
function highestSeq(records: readonly Found<JournalRecord>[], end: number = Number.POSITIVE_INFINITY): Seq {
  return records.reduce((highest, found) => {
    const isEntry = found.record.kind === 'entry' && found.end <= end;
    return isEntry ? Math.max(highest, found.record.entry.seq) : highest;
  }, 0);
}
