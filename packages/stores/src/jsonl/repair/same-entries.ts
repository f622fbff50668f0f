import type { Entry } from '@varve/core';
import type { ReadableFile } from '../file-system.ts';
import { readEntriesInOrder } from '../record-reader.ts';

/** A file of lines, and where the last whole one ends. */
export interface JournalLines {
  readonly file: ReadableFile;
  readonly end: number;
}

/** Whether two files, read as a store reads them, hold the same entries in the same order. */
export async function holdSameEntries(one: JournalLines, other: JournalLines): Promise<boolean> {
  const others = entriesOf(other);
  for await (const entry of entriesOf(one)) {
    const next = await others.next();
    if (next.done === true || JSON.stringify(next.value) !== JSON.stringify(entry)) return false;
  }
  return (await others.next()).done === true;
}

async function* entriesOf({ file, end }: JournalLines): AsyncGenerator<Entry, undefined> {
  for await (const entries of readEntriesInOrder(file, { from: 0, to: end, report: () => {} })) {
    for (const { record } of entries) yield record.entry;
  }
}
