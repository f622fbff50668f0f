import type { Journal, MessageEntry } from '@varve/core';
import type { LineWriter } from './limits/group-commit.ts';

/** Does something so many times, never more than `width` at once: whoever is done begins with the next. */
export async function inFlight(count: number, width: number, work: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: Math.min(width, count) }, worker));
}

/** Appends entries, whose first has seq 1, to a journal, each by itself. */
export function appendToJournal(journal: Journal, entries: readonly MessageEntry[], width: number): Promise<void> {
  return inFlight(entries.length, width, (at) => {
    const entry = entries[at] as MessageEntry;
    return journal.append([entry], { expectedSeq: entry.seq - 1 });
  });
}

/** Appends entries to a file, each by itself. */
export function appendLines(writer: LineWriter, entries: readonly MessageEntry[], width: number): Promise<void> {
  return inFlight(entries.length, width, (at) => writer.append(entries[at] as MessageEntry));
}
