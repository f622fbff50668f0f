import { VarveError } from '../errors.ts';
import { pathTo } from '../journal/branch.ts';
import type { Entry } from '../journal/entry.ts';
import type { JournalReader } from '../plugins/hook-context.ts';
import type { Seq } from '../units.ts';
import type { SessionJournal } from './session-journal.ts';

/** Most entries that are given by seq or id in one answer, which is held in memory as a whole. */
const mostEntries = 1_000;

/** What plugins may read of a session: the entries that lead to its head, whether or not a compaction covers them. */
export function journalReaderOf(sessionJournal: Pick<SessionJournal, 'journal' | 'state'>): JournalReader {
  const { journal } = sessionJournal;
  const pathToHead = (): ((seq: Seq) => boolean) => pathTo(sessionJournal.state().branches, Infinity);
  return {
    readEntries: (range = {}) => entriesOn(pathToHead(), journal.read(range)),
    getEntries: async (seqsOrIds) => {
      if (seqsOrIds.length > mostEntries) {
        throw new VarveError('VARVE_PLUGIN_READ', `A plugin asked for ${seqsOrIds.length} entries at once.`, {
          fix: `Ask for at most ${mostEntries}, or read a range with readEntries.`,
          details: { asked: seqsOrIds.length, most: mostEntries },
        });
      }
      const isOnPath = pathToHead();
      return (await journal.get(seqsOrIds)).filter(({ seq }) => isOnPath(seq));
    },
  };
}

async function* entriesOn(isOnPath: (seq: Seq) => boolean, entries: AsyncIterable<Entry>): AsyncGenerator<Entry> {
  for await (const entry of entries) if (isOnPath(entry.seq)) yield entry;
}
