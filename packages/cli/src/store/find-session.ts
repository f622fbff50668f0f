import { existsSync } from 'node:fs';
import { type CompactionHealth, type JsonValue, type SessionRecord, type Store, VarveError } from '@varve/core';
import { jsonlStore } from '@varve/stores/jsonl';
import { sessionNames } from './list-sessions.ts';
import { openJournal } from './open-journal.ts';
import { type LastCompaction, readSessionState } from './session-state.ts';

/** All that is known of one session. `varve sessions show --json` prints exactly this; fields are only ever added. */
export interface ShownSession {
  readonly record: SessionRecord;
  /** Entries of all types in the journal; `null` when the journal cannot be read, as when it is archived. */
  readonly entries: number | null;
  readonly settings: Readonly<Record<string, JsonValue>>;
  readonly lastCompaction: LastCompaction | null;
  readonly health: {
    readonly ok: boolean;
    readonly compaction: CompactionHealth | null;
    /** Lines of the journal that are no entries as Varve writes them. */
    readonly malformed: number;
  };
}

/**
 * Finds a session by its id, or else by its key, and reads its journal. Takes no lock.
 *
 * @throws VARVE_STORE_MISSING  when there is none of that name.
 */
export async function findSession(root: string, name: string): Promise<ShownSession> {
  if (!existsSync(root)) throw await missing(root, name);
  const record = await recordIn(root, name);
  if (record === null) throw await missing(root, name);
  const known = { record, entries: null, settings: {}, lastCompaction: null };
  try {
    return { ...known, ...(await readJournal(root, record.sessionId)) };
  } catch (error) {
    if (!VarveError.is(error, 'VARVE_STORE_MISSING')) throw error;
    return { ...known, health: { ok: true, compaction: null, malformed: 0 } };
  }
}

async function recordIn(root: string, name: string): Promise<SessionRecord | null> {
  await using store = jsonlStore({ root });
  const { sessions }: Store = store;
  const byId = await sessions.get(name);
  if (byId !== null) return byId;
  const [byKey = null] = await sessions.list({ key: name, limit: 1 });
  return byKey;
}

async function readJournal(root: string, sessionId: string): Promise<Omit<ShownSession, 'record'>> {
  await using journal = await openJournal(root, sessionId);
  const { session } = journal;
  const state = await readSessionState(session);
  const { ok, compaction } = session.health();
  const { count: malformed } = journal.malformed();
  return { ...state, health: { ok: ok && malformed === 0, compaction, malformed } };
}

async function missing(root: string, name: string): Promise<VarveError> {
  const names = await sessionNames(root);
  const fix = names === null ? `There is none in "${root}".` : `Name one of the sessions that are there: ${names}.`;
  return new VarveError('VARVE_STORE_MISSING', `There is no session "${name}" in "${root}".`, { fix });
}
