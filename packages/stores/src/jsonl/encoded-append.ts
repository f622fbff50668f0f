import { type AppendOptions, type Entry, type Seq, VarveError } from '@varve/core';
import { checkpointText, encodeCheckpoint, encodeEntry, entryText } from './journal-line.ts';

/** One append as bytes. */
export interface EncodedAppend {
  readonly firstSeq: Seq;
  readonly lastSeq: Seq;
  /** Of the lease that it is made under. */
  readonly fence: number | undefined;
  /** One line an entry; without the last one when that has a checkpoint. */
  readonly lines: readonly Buffer[];
  /** The last line, up to what is known only when it is written: where the visible entries begin. */
  readonly checkpoint: { readonly text: string; readonly json: string; readonly visibleFromSeq: Seq } | null;
}

/** Consecutive lines, ready to be written from `start` on. */
export interface PlacedLines {
  readonly lines: readonly Buffer[];
  /** Where each line begins in the file. */
  readonly offsets: readonly number[];
  readonly start: number;
  readonly end: number;
  readonly firstSeq: Seq;
  readonly lastSeq: Seq;
}

/**
 * Turns an append into bytes, so that nothing that happens to the entries later matters.
 *
 * @throws VARVE_ENTRY_INVALID  when an entry cannot be stored or is not the next one; VARVE_ENTRY_TOO_LARGE.
 */
export function encodeAppend(
  entries: readonly Entry[],
  { expectedSeq, checkpoint, fence }: AppendOptions,
): EncodedAppend {
  const count = entries.length;
  const last = entries[count - 1];
  if (checkpoint !== undefined && last === undefined) throw invalidError('a checkpoint needs the entry that made it');
  const lines: Buffer[] = [];
  for (let index = 0; index < (checkpoint === undefined ? count : count - 1); index += 1) {
    const entry = entries[index] as Entry;
    assertNext(entry, expectedSeq + index + 1);
    lines.push(encodeEntry(entryText(entry), count - index - 1));
  }
  const append = { firstSeq: expectedSeq + 1, lastSeq: expectedSeq + count, fence, lines, checkpoint: null };
  if (checkpoint === undefined || last === undefined) return append;
  assertNext(last, append.lastSeq);
  const { visibleFromSeq } = checkpoint;
  return { ...append, checkpoint: { text: entryText(last), json: checkpointText(checkpoint), visibleFromSeq } };
}

/** Lays the lines of appends that follow each other out from `start` on. */
export function placeLines(
  appends: readonly EncodedAppend[],
  { start, keepOf }: { readonly start: number; readonly keepOf: (visibleFromSeq: Seq) => number },
): PlacedLines {
  const firstSeq = appends[0]?.firstSeq ?? 0;
  const lines: Buffer[] = [];
  const offsets: number[] = [];
  let end = start;
  for (const append of appends) {
    for (const line of append.lines) {
      offsets.push(end);
      lines.push(line);
      end += line.length;
    }
    if (append.checkpoint === null) continue;
    offsets.push(end);
    const { text, json, visibleFromSeq } = append.checkpoint;
    const line = encodeCheckpoint(text, { json, keep: offsets[visibleFromSeq - firstSeq] ?? keepOf(visibleFromSeq) });
    lines.push(line);
    end += line.length;
  }
  return { lines, offsets, start, end, firstSeq, lastSeq: firstSeq + lines.length - 1 };
}

function assertNext(entry: Entry, next: Seq): void {
  if (entry.seq !== next) throw invalidError(`entry "${entry.id}" has seq ${entry.seq}, and the next one is ${next}`);
}

function invalidError(reason: string): VarveError {
  return new VarveError('VARVE_ENTRY_INVALID', `The append cannot be stored: ${reason}.`, {
    fix: 'Number entries from expectedSeq + 1 on, and append a checkpoint with its entry.',
  });
}
