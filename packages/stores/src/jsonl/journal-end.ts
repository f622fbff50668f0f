import type { Seq } from '@varve/core';
import type { FoundRecord } from './damaged-line.ts';
import type { OpenFile } from './file-system.ts';
import { readLinesBackwards } from './line-reader.ts';
import { recordsOf } from './record-reader.ts';

/** Where the part of a journal ends that can be relied on. What follows belongs to an append that was not finished. */
export interface JournalEnd {
  /** Offset behind the last line; 0 when not even a header can be read. */
  readonly end: number;
  readonly lastSeq: Seq;
  /** True when the last line lacks its line feed. */
  readonly lacksLineFeed: boolean;
}

/**
 * Finds the end by reading backwards from `size`, usually one line.
 *
 * An append counts when its last line (`more: 0`) is whole. A damaged line that has its line feed was whole once, so it
 * may have been that last line: it, and all before it, stays.
 */
export async function findEnd(file: OpenFile, size: number): Promise<JournalEnd> {
  let end = size;
  let isSealed = false;
  for await (const line of readLinesBackwards(file, size)) {
    const records = recordsOf(line);
    const complete = records.findLast(({ record }) => record.kind === 'header' || record.more === 0);
    const lastSeq = highestSeq(records);
    if (isSealed) {
      if (lastSeq > 0) return { end, lastSeq, lacksLineFeed: false };
    } else if (complete !== undefined) {
      const isWholeLine = line.isTerminated && complete === records.at(-1);
      return isWholeLine
        ? { end: line.offset + line.bytes.length + 1, lastSeq, lacksLineFeed: false }
        : { end: complete.end, lastSeq: highestSeq(records, complete.end), lacksLineFeed: true };
    } else if (records.length === 0 && line.isTerminated) {
      isSealed = true;
    } else {
      end = line.offset;
    }
  }
  return { end: isSealed ? end : 0, lastSeq: 0, lacksLineFeed: false };
}

/** The highest seq of the records that end at `end` or before; 0 for none. */
function highestSeq(records: readonly FoundRecord[], end: number = Number.POSITIVE_INFINITY): Seq {
  return records.reduce((highest, found) => {
    const isEntry = found.record.kind === 'entry' && found.end <= end;
    return isEntry ? Math.max(highest, found.record.entry.seq) : highest;
  }, 0);
}
