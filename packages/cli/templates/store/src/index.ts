import {
  type Entry,
  type Journal,
  listSessions,
  patchRecord,
  type SessionIndex,
  type SessionRecord,
  type Store,
  VarveError,
} from '@varve/core';

const errors = {
  VARVE_ENTRY_INVALID: ['An entry is not JSON, or not the next one.', 'Number JSON entries from expectedSeq + 1 on.'],
  VARVE_LEASE_LOST: ['Another host has taken over.', 'Let that one answer.'],
  VARVE_STORE_CLOSED: ['It was used after it had been closed.', 'Open it again.'],
  VARVE_STORE_CONFLICT: ['Somebody else appended.', 'Read what was appended, and append behind it.'],
  VARVE_STORE_MISSING: ['There is no such session.', 'Check the session id, or pass `create`.'],
  VARVE_STORE_READ_ONLY: ['The journal is for reading only.', 'Open it without `readOnly`.'],
} as const;

function refuseIf(wrong: boolean, code: keyof typeof errors): void {
  const [message, fix] = errors[code];
  if (wrong) throw new VarveError(code, message, { fix });
}

interface Row {
  readonly header: string;
  lines: string[];
  checkpoint: string | null;
  fence: number;
}

/** Keeps journals over maps: put your database where `rows` and `records` are. */
export function templateStore(): Store {
  const rows = new Map<string, Row>();
  let closed = false;
  return {
    sessions: createIndex(() => refuseIf(closed, 'VARVE_STORE_CLOSED')),
    supports: { multiProcess: 'no' },
    open: async (sessionId, { create, readOnly = false } = {}) => {
      refuseIf(closed, 'VARVE_STORE_CLOSED');
      const header = create === undefined || readOnly ? '' : JSON.stringify(create);
      const row = rows.get(sessionId) ?? { header, lines: [], checkpoint: null, fence: 0 };
      refuseIf(row.header === '', 'VARVE_STORE_MISSING');
      rows.set(sessionId, row);
      return openJournal(row, { readOnly, isClosed: () => closed });
    },
    [Symbol.asyncDispose]: async () => {
      closed = true;
    },
  };
}

/** The records of sessions. */
function createIndex(assertOpen: () => void): SessionIndex {
  const records = new Map<string, string>();
  const find = (sessionId: string): SessionRecord | null => JSON.parse(records.get(sessionId) ?? 'null');
  return {
    get: async (sessionId) => {
      assertOpen();
      return find(sessionId);
    },
    put: async (sessionId, patch, { expectedRev }) => {
      assertOpen();
      const record = patchRecord(find(sessionId), patch, { sessionId, expectedRev });
      records.set(sessionId, JSON.stringify(record));
      return structuredClone(record);
    },
    list: async (query) => {
      assertOpen();
      const all = [...records.keys()].flatMap((sessionId) => find(sessionId) ?? []);
      return listSessions(all, query);
    },
  };
}

function openJournal(row: Row, store: { readOnly: boolean; isClosed(): boolean }): Journal {
  let closed = false;
  const assertOpen = (): void => refuseIf(closed || store.isClosed(), 'VARVE_STORE_CLOSED');
  const parse = (line: string): Entry => JSON.parse(line);
  return {
    header: JSON.parse(row.header),
    append: async (entries, { expectedSeq, fence = row.fence, checkpoint }) => {
      assertOpen();
      refuseIf(store.readOnly, 'VARVE_STORE_READ_ONLY');
      const added = entries.map((entry, index) => lineOf(entry, expectedSeq + index + 1));
      refuseIf(checkpoint !== undefined && added.length === 0, 'VARVE_ENTRY_INVALID');
      refuseIf(fence < row.fence, 'VARVE_LEASE_LOST');
      refuseIf(expectedSeq !== row.lines.length, 'VARVE_STORE_CONFLICT');
      row.fence = fence;
      row.lines = [...row.lines, ...added]; // nothing may fail from here on
      if (checkpoint !== undefined) row.checkpoint = JSON.stringify(checkpoint);
      return { seq: row.lines.length };
    },
    tail: async () => {
      assertOpen();
      const checkpoint = row.checkpoint === null ? null : JSON.parse(row.checkpoint);
      const from = checkpoint?.visibleFromSeq ?? 1;
      return { checkpoint, entries: row.lines.slice(from - 1).map(parse) };
    },
    read: ({ fromSeq = 1, toSeq = Infinity } = {}) => {
      assertOpen();
      const range = row.lines.slice(Math.max(0, fromSeq - 1), Math.max(0, toSeq));
      return (async function* () {
        for (const line of range) yield parse(line);
      })();
    },
    get: async (seqsOrIds) => {
      assertOpen();
      const all = row.lines.map(parse);
      return seqsOrIds.flatMap((one) => all.find(({ id, seq }) => one === id || one === seq) ?? []);
    },
    replace: async (batches, { expectedSeq }) => {
      assertOpen();
      refuseIf(store.readOnly, 'VARVE_STORE_READ_ONLY');
      const next: Pick<Row, 'lines' | 'checkpoint'> = { lines: [], checkpoint: null };
      for await (const { entries, checkpoint } of batches) {
        for (const entry of entries) {
          refuseIf(entry.seq !== next.lines.length + 1, 'VARVE_STORE_CONFLICT');
          next.lines.push(lineOf(entry, entry.seq));
        }
        if (checkpoint !== undefined) next.checkpoint = JSON.stringify(checkpoint);
      }
      const counts = [row.lines.length, next.lines.length];
      refuseIf(
        counts.some((count) => count !== expectedSeq),
        'VARVE_STORE_CONFLICT',
      );
      Object.assign(row, next); // in one step: before it all is as it was
    },
    close: async () => {
      closed = true;
    },
  };
}

function lineOf(entry: Entry, seq: number): string {
  let line: string | undefined;
  try {
    line = JSON.stringify(entry);
  } catch {
    // a cycle or a bigint: refused below
  }
  refuseIf(entry.seq !== seq || line?.startsWith('{') !== true, 'VARVE_ENTRY_INVALID');
  return line ?? '';
}
