import {
  emptyCounters,
  type ForkOrigin,
  type SessionCounters,
  type SessionLease,
  type SessionRecord,
} from '../../journal/session-record.ts';

/** What can still be used of a damaged record: all but its counters, and what is of no kind that a record can hold. */
export function usableFields(found: Partial<SessionRecord>): Partial<SessionRecord> {
  const usable = Object.entries(nameChecks).filter(([name, isUsable]) => isUsable(found[name as keyof SessionRecord]));
  return Object.fromEntries(usable.map(([name]) => [name, found[name as keyof SessionRecord]]));
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isTextOrNull = (value: unknown): boolean => value === null || isText(value);

/** Whether a field of a damaged record holds what such a field can hold. */
const nameChecks: Readonly<Record<keyof Omit<SessionRecord, 'sessionId' | 'rev' | 'counters'>, typeof isText>> = {
  agentId: isText,
  key: isTextOrNull,
  state: (value) => value === 'open' || value === 'archived',
  channel: isTextOrNull,
  chatType: (value) => value === null || value === 'direct' || value === 'group' || value === 'channel',
  identity: isTextOrNull,
  parentSessionKey: isTextOrNull,
  label: isTextOrNull,
  displayName: isTextOrNull,
  currentSince: (value) => value === null || Number.isFinite(value),
  previousSessionId: isTextOrNull,
  forkedFrom: (value) => value === null || isText((value as Partial<ForkOrigin> | undefined)?.sessionId),
  lease: (value) => value === null || Number.isFinite((value as Partial<SessionLease> | undefined)?.fence),
  createdAt: Number.isFinite,
  updatedAt: Number.isFinite,
};

/** Whether counters are what this version would write; others are counted anew. */
export function areSoundCounters(counters: Partial<SessionCounters> | undefined): boolean {
  const isCount = (value: unknown): boolean => Number.isFinite(value) && Number(value) >= 0;
  const { spent: empty, lastUserAt: _never, ...numbers } = emptyCounters;
  const hasNumbers = Object.keys(numbers).every((name) => isCount(counters?.[name as keyof typeof numbers]));
  const hasSums = Object.keys(empty).every((name) => isCount(counters?.spent?.[name as keyof typeof empty]));
  return hasNumbers && hasSums && (counters?.lastUserAt === null || Number.isFinite(counters?.lastUserAt));
}
