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
  const { createdAt = 0 } = patch;
  const added: Fields = { ...newRecord, createdAt, updatedAt: createdAt };
  const field = <Name extends keyof Fields>(name: Name): Fields[Name] => {
    const given: Fields[Name] | undefined = patch[name];
    if (given !== undefined) return given;
    const before: Fields[Name] | undefined = known?.[name];
    return before === undefined ? added[name] : before;
  };
  // Written out: spread from several objects it would take twice the memory, and stores hold many.
  const record: SessionRecord = {
    agentId: field('agentId'),
    key: field('key'),
    state: field('state'),
    channel: field('channel'),
    chatType: field('chatType'),
    identity: field('identity'),
    parentSessionKey: field('parentSessionKey'),
    label: field('label'),
    displayName: field('displayName'),
    currentSince: field('currentSince'),
    previousSessionId: field('previousSessionId'),
    forkedFrom: field('forkedFrom'),
    lease: field('lease'),
    counters: field('counters'),
    createdAt: field('createdAt'),
    updatedAt: field('updatedAt'),
    sessionId,
    rev: rev + 1,
  };
  // What a later version of Varve has said of it stays.
  const more = Object.entries({ ...known, ...patch }).filter(
    ([name, value]) => value !== undefined && !(name in record),
  );
  return more.length === 0 ? record : { ...record, ...Object.fromEntries(more) };
}

type Fields = Omit<SessionRecord, 'sessionId' | 'rev'>;

const newRecord: Omit<Fields, 'createdAt' | 'updatedAt'> = {
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
