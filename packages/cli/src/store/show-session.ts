import { type CompactionHealth, type JsonValue, type SessionRecord, VarveError } from '@varve/core';
import type { GenerationState } from '@varve/sessions';
import type { OpenedConfig } from '../config/open-config.ts';
import { openJournal } from './open-journal.ts';
import { openSessions } from './open-sessions.ts';
import { resolveSession } from './resolve-session.ts';
import { type LastCompaction, sessionState } from './session-state.ts';

/** All that is known of one session. `varve sessions show --json` prints exactly this; fields are only ever added. */
export interface ShownSession {
  /** As the journal has it by now; as the store has it when the journal cannot be read. */
  readonly record: SessionRecord;
  /** What the session is to its conversation. */
  readonly generation: GenerationState;
  /** Ids of all generations of its conversation, current since last first; none for a session without a key. */
  readonly generations: readonly string[];
  /** Entries of all types, by the number of the last one; `null` when the journal cannot be read. */
  readonly entries: number | null;
  /** Whether its journal is packed: an archive holds it. */
  readonly isPacked: boolean;
  readonly settings: Readonly<Record<string, JsonValue>>;
  readonly lastCompaction: LastCompaction | null;
  readonly health: {
    readonly ok: boolean;
    readonly compaction: CompactionHealth | null;
    /** Lines from the newest checkpoint on that are no entries as Varve writes them; `varve doctor` looks at all. */
    readonly malformed: number;
  };
}

/**
 * Finds a session by its id or its key, and reads the end of its journal: what that costs does not grow with the journal.
 * Takes no lock.
 *
 * @throws VARVE_STORE_MISSING  when there is none of that name.
 */
export async function showSession(place: OpenedConfig, name: string): Promise<ShownSession> {
  const { root } = place;
  const known = await about(place, name);
  try {
    return { ...known, ...(await readJournal(root, known.record.sessionId)) };
  } catch (error) {
    if (!VarveError.is(error, 'VARVE_STORE_MISSING')) throw error;
    const nothing = { entries: null, settings: {}, lastCompaction: null };
    return { ...known, ...nothing, health: { ok: true, compaction: null, malformed: 0 } };
  }
}

async function about(
  place: OpenedConfig,
  name: string,
): Promise<Pick<ShownSession, 'record' | 'generation' | 'generations' | 'isPacked'>> {
  await using opened = await openSessions(place);
  const record = await resolveSession(opened, name);
  const { key, sessionId } = record;
  const isPacked = (await opened.store.archives?.list())?.includes(sessionId) === true;
  if (key === null) return { record, generation: 'none', generations: [], isPacked };
  const generations = await opened.sessions.generations(key);
  const { sessions } = await opened.sessions.list({ key, text: sessionId });
  const generation = sessions.find((listed) => listed.record.sessionId === sessionId)?.generation ?? 'none';
  return { record, generation, generations: generations.map((one) => one.sessionId), isPacked };
}

async function readJournal(
  root: string,
  sessionId: string,
): Promise<Pick<ShownSession, 'record' | 'entries' | 'settings' | 'lastCompaction' | 'health'>> {
  await using journal = await openJournal(root, sessionId);
  const { session } = journal;
  const state = sessionState(session);
  const { ok, compaction } = session.health();
  const { count: malformed } = journal.malformed();
  // The record in the store may be behind; this one counts what was read.
  return { ...state, record: session.info(), health: { ok: ok && malformed === 0, compaction, malformed } };
}
