import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type CarriedState, countEntry, type Entry, emptyCounters, fold, type Journal, type Seq } from '@varve/core';
import { jsonlStore } from '@varve/stores/jsonl';
import { createEntryMaker } from './entry-maker.ts';
import { createPiFile } from './pi-session.ts';

/** The same conversation in a store of ours and in a file of pi. */
export interface History {
  readonly entries: number;
  /** Entries from the first that a prompt may show. */
  readonly tailEntries: number;
  /** Root of the store; its only session is {@link historySession}. */
  readonly root: string;
  readonly journalFile: string;
  readonly journalBytes: number;
  readonly piFile: string;
}

/** How a history is made. */
export interface HistoryOptions {
  readonly folder: string;
  readonly entries: number;
  /** Messages after the only compaction, and those that it keeps; `null` for none. */
  readonly compaction: { readonly before: number; readonly kept: number } | null;
  readonly toolLength?: number | undefined;
}

/** Id of the session in the store of a history. */
export const historySession = 'history';

/** Entries that are written together. */
const batch = 1_000;

/** Writes a history, in a stream: a million entries take no more memory than a thousand. */
export async function makeHistory({ folder, entries, compaction, toolLength }: HistoryOptions): Promise<History> {
  mkdirSync(folder, { recursive: true });
  const root = join(folder, 'store');
  const piFile = join(folder, 'pi.jsonl');
  const pi = createPiFile(piFile);
  const store = jsonlStore({ root, durability: 'os' });
  const createdAt = 1_750_000_000_000;
  const journal = await store.open(historySession, { create: { v: 1, sessionId: historySession, createdAt } });
  const maker = createEntryMaker({ seed: 1, toolLength });
  const writer = new HistoryWriter(journal, (written) => pi.add(written));
  const before = compaction === null ? entries : entries - compaction.before - 1;
  const visibleFrom = compaction === null ? 1 : before - compaction.kept + 1;
  await writer.writeMessages(before, { make: maker.messages, foldTo: visibleFrom });
  if (compaction !== null) {
    await writer.write([maker.compaction(compaction.kept)], visibleFrom);
    await writer.writeMessages(compaction.before, { make: maker.messages, foldTo: 0 });
  }
  const { counters } = writer;
  await store.sessions.put(historySession, { createdAt, updatedAt: writer.lastAt, counters }, { expectedRev: 0 });
  await journal.close();
  await store[Symbol.asyncDispose]();
  pi.close();
  const journalFile = join(root, 'agents/main/sessions', `${historySession}.jsonl`);
  const journalBytes = statSync(journalFile).size;
  return { entries, tailEntries: entries - visibleFrom + 1, root, journalFile, journalBytes, piFile };
}

/** Appends, counts, and knows the state that a checkpoint carries. */
class HistoryWriter {
  counters = emptyCounters;
  lastAt = 0;
  #seq: Seq = 0;
  #state: CarriedState = fold({ checkpoint: null, entries: [] }).state;
  readonly #journal: Journal;
  readonly #onWritten: (entries: readonly Entry[]) => void;

  constructor(journal: Journal, onWritten: (entries: readonly Entry[]) => void) {
    this.#journal = journal;
    this.#onWritten = onWritten;
  }

  /** @param how.foldTo  The state is that of the entries before this seq. */
  async writeMessages(
    count: number,
    { make, foldTo }: { readonly make: (count: number) => readonly Entry[]; readonly foldTo: Seq },
  ): Promise<void> {
    for (let left = count; left > 0; left -= batch) {
      const entries = make(Math.min(left, batch));
      const reduced = entries.filter(({ seq }) => seq < foldTo);
      if (reduced.length > 0) {
        const visibleFromSeq = this.#state.seq + 1;
        this.#state = fold({ checkpoint: { visibleFromSeq, state: this.#state }, entries: reduced }).state;
      }
      await this.write(entries);
    }
  }

  /** @param visibleFromSeq  With the last entry goes a checkpoint from this seq on. */
  async write(entries: readonly Entry[], visibleFromSeq?: Seq): Promise<void> {
    const checkpoint = visibleFromSeq === undefined ? undefined : { visibleFromSeq, state: this.#state };
    await this.#journal.append(entries, { expectedSeq: this.#seq, checkpoint });
    this.#seq += entries.length;
    this.counters = entries.reduce(countEntry, this.counters);
    this.lastAt = entries.at(-1)?.at ?? this.lastAt;
    this.#onWritten(entries);
  }
}
