import type { Checkpoint, Entry, Tail } from '@varve/core';
import { type ReadableFile, readAt } from './file-system.ts';
import { checkpointEnding, decodeLine } from './journal-line.ts';
import { readLineAt, readLinesBackwards } from './line-reader.ts';
import { readEntriesInOrder } from './record-reader.ts';
import { rememberEnd } from './remembered-end.ts';
import { locateSeq, type SearchOptions } from './seq-locator.ts';

/** A checkpoint with its place. */
interface FoundCheckpoint {
  readonly checkpoint: Checkpoint;
  /** Where the entry that `checkpoint.visibleFromSeq` names may begin. */
  readonly keep: number;
}

const lineFeed = 10;
const carriageReturn = 13;

/** Read at once while the checkpoint may be near: so much more than the tail is read at most. */
const smallChunk = 65_536;
const near = 2_097_152;

/** Read at once when it is not. */
const largestChunk = 1_048_576;

/**
 * Reads what follows the newest checkpoint; its cost depends on that alone, not on what lies before. Where that is no more
 * than 2 MB, each byte of it is read once, and less than 128 KB beside it.
 */
export async function readTail(opened: ReadableFile, options: SearchOptions): Promise<Tail> {
  const { end, index, report } = options;
  const file = rememberEnd(opened, end);
  const found = await findCheckpoint(file, end);
  const visibleFromSeq = found?.checkpoint.visibleFromSeq ?? Number.NEGATIVE_INFINITY;
  const from = found === null ? 0 : await visibleFrom(file, found, options);
  const entries: Entry[] = [];
  for await (const placed of readEntriesInOrder(file, { from, to: end, report })) {
    for (const { offset, record } of placed) {
      if (record.entry.seq < visibleFromSeq) continue;
      entries.push(record.entry);
      index.note({ seq: record.entry.seq, offset });
    }
  }
  return { checkpoint: found?.checkpoint ?? null, entries };
}

/** Looks backwards from `end` for a line that ends as one with a checkpoint does, and that can be read. */
async function findCheckpoint(file: ReadableFile, end: number): Promise<FoundCheckpoint | null> {
  const { marker, maxLength } = checkpointEnding;
  let chunk = smallChunk;
  let position = end;
  while (position > 0) {
    const length = Math.min(chunk, position);
    position -= length;
    // A marker at the end of this chunk goes on in the one that was read before.
    const buffer = await readAt(file, { position, length: Math.min(length + maxLength, end - position) });
    for (let at = buffer.lastIndexOf(marker, length - 1); at !== -1; at = lastBefore(buffer, at)) {
      const found = await checkpointAt(file, { buffer, position, at, end });
      if (found !== null) return found;
    }
    if (end - position >= near) chunk = Math.min(chunk * 2, largestChunk);
  }
  return null;
}

function lastBefore(buffer: Buffer, at: number): number {
  return at === 0 ? -1 : buffer.lastIndexOf(checkpointEnding.marker, at - 1);
}

/** Checks that the marker ends a line, and that this line is an entry with a checkpoint: text may look like one. */
async function checkpointAt(
  file: ReadableFile,
  place: { readonly buffer: Buffer; readonly position: number; readonly at: number; readonly end: number },
): Promise<FoundCheckpoint | null> {
  const { buffer, position, at, end } = place;
  const match = checkpointEnding.pattern.exec(buffer.toString('latin1', at, at + checkpointEnding.maxLength));
  if (match === null) return null;
  const stop = at + match[0].length;
  const next = buffer[stop] === carriageReturn ? buffer[stop + 1] : buffer[stop];
  if (position + stop !== end && next !== lineFeed) return null;
  for await (const line of readLinesBackwards(file, position + stop)) {
    const record = decodeLine(line.bytes);
    if (record?.kind !== 'entry' || record.checkpoint === null) return null;
    return { checkpoint: record.checkpoint, keep: record.keep };
  }
  return null;
}

/** Where the visible entries begin: at `keep`, if they do, otherwise wherever their first one is found. */
async function visibleFrom(file: ReadableFile, found: FoundCheckpoint, options: SearchOptions): Promise<number> {
  const { keep, checkpoint } = found;
  const line = keep > 0 ? await readLineAt(file, { offset: keep, end: options.end }) : null;
  const record = line === null ? null : decodeLine(line.bytes);
  const isThere = record?.kind === 'entry' && record.entry.seq === checkpoint.visibleFromSeq;
  return isThere ? keep : locateSeq(file, checkpoint.visibleFromSeq, options);
}
