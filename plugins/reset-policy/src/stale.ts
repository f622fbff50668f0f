import type { Milliseconds, ResetAnswer } from '@varve/core';
import { lastBoundary, nextBoundary } from './day-boundary.ts';
import { durationText } from './duration-text.ts';
import type { ResetPolicy } from './resolve-policy.ts';

/** What of a session's record says how old its conversation is. Every `SessionRecord` has it. */
export interface ResetRecord {
  readonly createdAt: Milliseconds;
  /** Since when it is what its key leads to, where that is another time than its beginning: it was restored. */
  readonly currentSince?: Milliseconds | null | undefined;
  readonly counters: { readonly lastUserAt: Milliseconds | null };
}

/** When a conversation will end by itself. */
export interface ResetPreview {
  /** From then on the next message begins a new conversation; may be past. */
  readonly at: Milliseconds;
  /** How long that is from now; 0 when it is due. */
  readonly inMs: Milliseconds;
  readonly reason: 'daily' | 'idle';
  /** For people: `resets in 12 min`. */
  readonly text: string;
}

/**
 * True when the next message should begin a new conversation. At the very boundary, and after exactly the idle time, it
 * goes on. A clock that was put back makes it younger, never stale; only a time more than a year ahead is none, and counts
 * as long past: a clock that once stood at 2056 must not keep a conversation for thirty years.
 *
 * @throws VARVE_OPTION_INVALID  for an hour or a zone that does not exist.
 */
export function isStale(
  record: ResetRecord,
  moment: { readonly policy: ResetPolicy; readonly now: Milliseconds },
): boolean {
  return whyStale(record, moment) !== null;
}

/** Why the next message should begin a new conversation; `null` when it should not. */
export function whyStale(
  stored: ResetRecord,
  { policy, now }: { readonly policy: ResetPolicy; readonly now: Milliseconds },
): ResetAnswer | null {
  const record = plausible(stored, now);
  const answers = limitsOf(policy).map((limit) => {
    if (limit.reason === 'idle') {
      const isOver = now - lastUseOf(record) > limit.idleMs;
      return isOver ? { reason: 'idle', text: `Nobody wrote for ${durationText(limit.idleMs)}.` } : null;
    }
    const hour = `${String(policy.atHour).padStart(2, '0')}:00`;
    const zone = policy.timeZone === null ? '' : ` (${policy.timeZone})`;
    const isOver = startOf(record) < lastBoundary(now, policy);
    return isOver ? { reason: 'daily', text: `A new day began at ${hour}${zone}.` } : null;
  });
  const given = answers.filter((answer) => answer !== null);
  const isEnough = policy.combine === 'all' ? given.length === answers.length : given.length > 0;
  return isEnough ? (given[0] ?? null) : null;
}

/**
 * When a conversation ends by itself if nobody writes; `null` for never.
 *
 * @throws VARVE_OPTION_INVALID  for an hour or a zone that does not exist.
 */
export function previewReset(
  stored: ResetRecord,
  { policy, now }: { readonly policy: ResetPolicy; readonly now: Milliseconds },
): ResetPreview | null {
  const record = plausible(stored, now);
  const ends = limitsOf(policy)
    .map((limit) => ({
      reason: limit.reason,
      // After exactly the idle time it still goes on: it ends one millisecond later.
      at: limit.reason === 'idle' ? lastUseOf(record) + limit.idleMs + 1 : nextBoundary(startOf(record), policy),
    }))
    .sort((a, b) => a.at - b.at);
  const end = policy.combine === 'all' ? ends.at(-1) : ends[0];
  if (end === undefined) return null;
  const inMs = Math.max(0, end.at - now);
  const text = inMs === 0 ? 'resets with the next message' : `resets in ${durationText(inMs - 1)}`;
  return { ...end, inMs, text };
}

/** Times that are further ahead come of a clock that was wrong then. */
const mostAheadMs: Milliseconds = 366 * 86_400_000;

/** The record with times that can be; others lie in the past. */
function plausible({ createdAt, currentSince, counters }: ResetRecord, now: Milliseconds): ResetRecord {
  const past = (at: Milliseconds): Milliseconds => (at <= now + mostAheadMs ? at : 0);
  const { lastUserAt } = counters;
  return {
    createdAt: past(createdAt),
    ...(currentSince === null || currentSince === undefined ? {} : { currentSince: past(currentSince) }),
    counters: { lastUserAt: lastUserAt === null ? null : past(lastUserAt) },
  };
}

type Limit = { readonly reason: 'daily' } | { readonly reason: 'idle'; readonly idleMs: Milliseconds };

function limitsOf({ mode, idleMinutes }: ResetPolicy): readonly Limit[] {
  if (mode === 'none') return [];
  const daily: readonly Limit[] = mode === 'daily' ? [{ reason: 'daily' }] : [];
  return idleMinutes === null ? daily : [...daily, { reason: 'idle', idleMs: idleMinutes * 60_000 }];
}

function startOf({ createdAt, currentSince }: ResetRecord): Milliseconds {
  return currentSince ?? createdAt;
}

/** A conversation that was restored is in use since then, however old its last message is. */
function lastUseOf(record: ResetRecord): Milliseconds {
  return Math.max(startOf(record), record.counters.lastUserAt ?? startOf(record));
}
