import { type SessionRecord, VarveError } from '@varve/core';
import type { OpenedSessions } from '../store/open-sessions.ts';

/** Journals that are looked at: those at the top of a list, where what is in use stands. */
const mostLooked = 100;

/** Ids of the sessions whose journals have entries that their records do not count, as in a turn. Takes no lock. */
export async function sessionsBehind(
  { store }: Pick<OpenedSessions, 'store'>,
  records: readonly SessionRecord[],
): Promise<ReadonlySet<string>> {
  const behind = new Set<string>();
  const open = records.filter(({ state }) => state === 'open').slice(0, mostLooked);
  for (const { sessionId, counters } of open) {
    try {
      const journal = await store.open(sessionId, { readOnly: true });
      try {
        const more = await journal.get([counters.countedSeq + 1]);
        if (more.length > 0) behind.add(sessionId);
      } finally {
        await journal.close();
      }
    } catch (error) {
      // A record may be there without its journal, and what is wrong with one, varve doctor says.
      if (!VarveError.is(error)) throw error;
    }
  }
  return behind;
}
