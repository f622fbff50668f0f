import type { MessageEntry, Store } from '@varve/core';
import { jsonlStore } from '@varve/stores/jsonl';
import type { Contender } from '../interleave.ts';
import { createEntryMaker } from './data/entry-maker.ts';
import { appendLines, appendToJournal } from './in-flight.ts';
import type { LineWriter } from './limits/group-commit.ts';

/** How entries are appended. */
export interface AppendJob {
  /** Entries that one run appends, all sessions together. */
  readonly appends: number;
  /** Sessions that are written to at once. @default 1 */
  readonly sessions?: number | undefined;
  /** Appends of each session that are under way at once. */
  readonly width: number;
}

const createdAt = 1_750_000_000_000;

/** Entries for one session of a job. Made once: nobody changes them. */
export function entriesOf({ appends, sessions = 1 }: AppendJob): readonly MessageEntry[] {
  return createEntryMaker({ seed: 9 }).messages(Math.ceil(appends / sessions));
}

/** Ours: journals of a JSONL store, new ones in each round. */
export function journalContender(
  name: string,
  job: AppendJob,
  { root, durability }: { readonly root: string; readonly durability: 'fsync' | 'os' },
): Contender {
  const { sessions = 1, width } = job;
  const entries = entriesOf(job);
  const store: Store = jsonlStore({ root, durability });
  let round = 0;
  let journals: Awaited<ReturnType<Store['open']>>[] = [];
  return {
    name,
    operations: entries.length * sessions,
    before: async () => {
      round += 1;
      journals = [];
      for (let at = 0; at < sessions; at += 1) {
        const sessionId = `round-${round}-${at}`;
        journals.push(await store.open(sessionId, { create: { v: 1, sessionId, createdAt } }));
      }
    },
    run: () => Promise.all(journals.map((journal) => appendToJournal(journal, entries, width))),
    after: () => Promise.all(journals.map((journal) => journal.close())),
  };
}

/** A peer or limit that writes lines, each session to a new file. */
export function linesContender(
  name: string,
  job: AppendJob,
  open: (at: number) => Promise<LineWriter> | LineWriter,
): Contender {
  const { sessions = 1, width } = job;
  const entries = entriesOf(job);
  let files = 0;
  let writers: LineWriter[] = [];
  return {
    name,
    operations: entries.length * sessions,
    before: async () => {
      writers = [];
      for (let at = 0; at < sessions; at += 1) writers.push(await open(files++));
    },
    run: () => Promise.all(writers.map((writer) => appendLines(writer, entries, width))),
    after: () => Promise.all(writers.map((writer) => writer.close())),
  };
}
