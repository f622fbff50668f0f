import { patchRecord } from './patch-record.ts';
import { listSessions } from './session-listing.ts';
import type { SessionIndex, SessionRecord } from './session-record.ts';

/**
 * Keeps session records in this process's memory, as JSON text: what a caller changes afterwards never reaches them.
 *
 * @param assertOpen  Throws when the store has been closed.
 */
export function memorySessionIndex(
  assertOpen: () => void,
): SessionIndex & { readonly remove: (sessionId: string) => void } {
  const records = new Map<string, string>();
  const idsByKey = new Map<string, Set<string>>();
  const find = (sessionId: string): SessionRecord | null => {
    const text = records.get(sessionId);
    return text === undefined ? null : JSON.parse(text);
  };
  const moveKey = (sessionId: string, { from, to }: { readonly from: string | null; readonly to: string | null }) => {
    if (from === to) return;
    const left = from === null ? undefined : idsByKey.get(from);
    left?.delete(sessionId);
    if (from !== null && left?.size === 0) idsByKey.delete(from);
    if (to !== null) idsByKey.set(to, (idsByKey.get(to) ?? new Set()).add(sessionId));
  };
  return {
    get: async (sessionId) => {
      assertOpen();
      return find(sessionId);
    },
    put: async (sessionId, patch, { expectedRev }) => {
      assertOpen();
      const known = find(sessionId);
      const record = patchRecord(known, patch, { sessionId, expectedRev });
      const text = JSON.stringify(record);
      records.set(sessionId, text);
      moveKey(sessionId, { from: known?.key ?? null, to: record.key });
      return JSON.parse(text);
    },
    remove: (sessionId) => {
      moveKey(sessionId, { from: find(sessionId)?.key ?? null, to: null });
      records.delete(sessionId);
    },
    list: async (query) => {
      assertOpen();
      // A host looks for a key with each message: what that costs must not grow with the sessions of others.
      const ids = query?.key === undefined ? records.keys() : (idsByKey.get(query.key) ?? []);
      const found = [...ids].map((sessionId) => JSON.parse(records.get(sessionId) ?? '') as SessionRecord);
      return listSessions(found, query);
    },
  };
}
