import { patchRecord } from './patch-record.ts';
import { listSessions } from './session-listing.ts';
import type { SessionIndex, SessionRecord } from './session-record.ts';

/**
 * Keeps session records in this process's memory, as JSON text: what a caller changes afterwards never reaches them.
 *
 * @param assertOpen  Throws when the store has been closed.
 */
export function memorySessionIndex(assertOpen: () => void): SessionIndex {
  const records = new Map<string, string>();
  const find = (sessionId: string): SessionRecord | null => {
    const text = records.get(sessionId);
    return text === undefined ? null : JSON.parse(text);
  };
  return {
    get: async (sessionId) => {
      assertOpen();
      return find(sessionId);
    },
    put: async (sessionId, patch, { expectedRev }) => {
      assertOpen();
      const text = JSON.stringify(patchRecord(find(sessionId), patch, { sessionId, expectedRev }));
      records.set(sessionId, text);
      return JSON.parse(text);
    },
    list: async (query) => {
      assertOpen();
      const all = [...records.values()].map((text): SessionRecord => JSON.parse(text));
      return listSessions(all, query);
    },
  };
}
