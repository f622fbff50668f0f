import type { Checkpoint, Entry, Seq, Tail } from '@varve/core';
import type { Found } from './damaged-line.ts';
import type { ReadableFile } from './file-system.ts';
import type { EntryRecord, JournalRecord } from './journal-line.ts';
import { type BackwardReads, type Line, readLinesBackwards } from './line-reader.ts';
import { createEntryOrder, type PlacedEntry, readEntriesInOrder, recordsOf } from './record-reader.ts';
import type { ReportRepair } from './repair-report.ts';
import { locateSeq, type SearchOptions } from './seq-locator.ts';

/** What a line holds that was read, and what was found wrong with it. */
interface ReadLine {
  readonly entries: readonly PlacedEntry[];
  readonly damage: readonly Parameters<ReportRepair>[0][];
}

/** Lines that were read backwards, up to where the visible entries begin. */
interface LinesBackwards {
  /** The newest; `null` when no line has one. */
  readonly checkpoint: Checkpoint | null;
  /** The last one first. */
  readonly lines: readonly ReadLine[];
  /** Whether the first entry that is visible was where the checkpoint says it is. Always true without one. */
  readonly isWhole: boolean;
}

/** So much more than the tail is read at most, while it is short. */
const reads: BackwardReads = { chunk: 65_536, sameFor: 2_097_152 };

/**
 * Reads what follows the newest checkpoint; its cost depends on that alone, not on what lies before. Each byte of it is read
 * once, and where it is no more than 2 MB, less than 128 KB beside it.
 */
export async function readTail(file: ReadableFile, options: SearchOptions): Promise<Tail> {
  const { index, report } = options;
  const { checkpoint, lines, isWhole } = await readBackwards(file, options.end);
  const entries: Entry[] = [];
  const keep = (placed: readonly PlacedEntry[], fromSeq: Seq): void => {
    for (const { offset, record } of placed) {
      if (record.entry.seq < fromSeq) continue;
      entries.push(record.entry);
      index.note({ seq: record.entry.seq, offset });
    }
  };
  if (checkpoint !== null && !isWhole) {
    const { visibleFromSeq } = checkpoint;
    const from = await locateSeq(file, visibleFromSeq, options);
    for await (const placed of readEntriesInOrder(file, { from, to: options.end, report }))
      keep(placed, visibleFromSeq);
    return { checkpoint, entries };
  }
  const order = createEntryOrder({ isBeginning: checkpoint === null, report });
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const { entries: placed, damage } = lines[at] as ReadLine;
    for (const found of damage) order.report(found);
    keep(order.pass(placed), checkpoint?.visibleFromSeq ?? Number.NEGATIVE_INFINITY);
  }
  return { checkpoint, entries };
}

/**
 * Reads lines from `end` on, back to the first entry that the newest checkpoint keeps. All that lies between belongs to the
 * tail, wherever the checkpoint is: nothing is read in vain.
 */
async function readBackwards(file: ReadableFile, end: number): Promise<LinesBackwards> {
  const lines: ReadLine[] = [];
  let checkpoint: Checkpoint | null = null;
  let keep = 0;
  for await (const chunk of readLinesBackwards(file, end, reads)) {
    for (const line of chunk) {
      const damage: Parameters<ReportRepair>[0][] = [];
      const records = recordsOf(line, (found) => damage.push(found));
      lines.push({ entries: records.filter(isEntry), damage });
      const whole = wholeEntry(line, records);
      if (checkpoint === null && whole !== null && whole.checkpoint !== null) ({ checkpoint, keep } = whole);
      if (checkpoint === null) continue;
      const { visibleFromSeq } = checkpoint;
      const isThere = line.offset === keep && whole?.entry.seq === visibleFromSeq;
      const isMissed = line.offset <= keep || keep === 0 || (whole !== null && whole.entry.seq < visibleFromSeq);
      if (isThere || isMissed) return { checkpoint, lines, isWhole: isThere };
    }
  }
  return { checkpoint, lines, isWhole: checkpoint === null };
}

function isEntry(found: Found<JournalRecord>): found is Found<EntryRecord> {
  return found.record.kind === 'entry';
}

/** The entry that is all of a line; `null` when there is anything else on it. */
function wholeEntry({ offset, length }: Line, records: readonly Found<JournalRecord>[]): EntryRecord | null {
  const [first] = records;
  if (first === undefined || first.offset !== offset || first.end !== offset + length) return null;
  return first.record.kind === 'entry' ? first.record : null;
}
