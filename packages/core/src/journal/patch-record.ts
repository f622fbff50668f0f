import { VarveError } from '../errors.ts';
import { emptyCounters, type SessionPatch, type SessionRecord } from './session-record.ts';

/** What a patch is held against. */
export interface PatchOptions {
  readonly sessionId: string;
  /** Revision that the patch was made for; 0 for a record that is not there. */
  readonly expectedRev: number;
}

/**
 * The record that a patch makes of another, or of none, as {@link SessionIndex.put} stores it. For stores.
 *
 * @throws VARVE_STORE_CONFLICT  when the record's `rev` is another.
 */
export function patchRecord(
  known: SessionRecord | null,
  patch: SessionPatch,
  { sessionId, expectedRev }: PatchOptions,
): SessionRecord {
  const rev = known?.rev ?? 0;
  if (rev !== expectedRev) throw conflictError({ sessionId, expectedRev, rev });
  const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
  const { createdAt = 0 } = patch;
  return { ...newRecord, createdAt, updatedAt: createdAt, ...known, ...given, sessionId, rev: rev + 1 };
}

const newRecord: Omit<SessionRecord, 'sessionId' | 'rev' | 'createdAt' | 'updatedAt'> = {
  agentId: 'main',
  key: null,
  state: 'open',
  channel: null,
  chatType: null,
  identity: null,
  parentSessionKey: null,
  label: null,
  displayName: null,
  currentSince: null,
  previousSessionId: null,
  forkedFrom: null,
  lease: null,
  counters: emptyCounters,
};

function conflictError(details: {
  readonly sessionId: string;
  readonly expectedRev: number;
  readonly rev: number;
}): VarveError {
  const { sessionId, expectedRev, rev } = details;
  const message = `The record of session "${sessionId}" has revision ${rev}; the change was made for ${expectedRev}.`;
  return new VarveError('VARVE_STORE_CONFLICT', message, {
    fix: 'Read the record again, and make the change anew.',
    details: { ...details },
  });
}
