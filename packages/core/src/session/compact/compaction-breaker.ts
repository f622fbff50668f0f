import type { CompactOutcome } from '../../compaction/compaction.ts';
import type { CompactTrigger } from '../../journal/entry.ts';
import type { JsonValue } from '../../json-value.ts';
import type { CompactionHealth } from '../../plugins/health.ts';
import type { Seq } from '../../units.ts';
import type { SessionRuntime } from '../session-runtime.ts';

/** Failures in a row after which strategies are not asked any more. */
const failuresToOpen = 3;

/** A compaction that frees less than this share counts as one that was not worth it; two in a row open the breaker. */
export const leastYield = 0.1;
const lowYieldsToOpen = 2;

/** Entries after which an open breaker lets strategies try again: by then there is something else to compact. */
const entriesToProbe = 50;

const recordType = 'core:compaction-breaker';

/** What is known of the last automatic compactions; stored as a record, so that it survives a restart. */
interface BreakerState {
  readonly failures: number;
  readonly lowYields: number;
  readonly lastSeq: Seq;
  readonly why: string;
}

const closed: BreakerState = { failures: 0, lowYields: 0, lastSeq: 0, why: '' };

/** How automatic compactions ended, as the journal says; of one that is only read, as it was when it was last read. */
export function compactionHealth({ journal }: SessionRuntime): CompactionHealth {
  const { state, lastSeq } = journal.folded();
  const { failures, lowYields, lastSeq: since, why } = stateOf(state.records[recordType]?.data);
  const isOpen = failures >= failuresToOpen || lowYields >= lowYieldsToOpen;
  const left = isOpen ? Math.max(0, entriesToProbe - (lastSeq - since)) : 0;
  return { failures, lowYields, isBlocked: left > 0, entriesToProbe: left, why };
}

/** Why strategies are not asked; `null` while they are. A person who asks for a compaction is always heard. */
export function blockedBecause(runtime: SessionRuntime, trigger: CompactTrigger): string | null {
  if (trigger === 'manual') return null;
  const { failures, lowYields, isBlocked, why } = compactionHealth(runtime);
  if (!isBlocked) return null;
  return failures >= failuresToOpen
    ? `${failures} compactions in a row failed: ${why}`
    : `${lowYields} compactions in a row freed less than ${leastYield * 100} %.`;
}

/**
 * True when core's own compaction, which an open breaker leaves, has come to nothing behind an entry. A long turn would
 * have the same refusal after each of its tools.
 */
export function isDeadEnd({ journal }: SessionRuntime, sinceSeq: Seq): boolean {
  const { failures, lowYields, lastSeq } = stateOf(journal.folded().state.records[recordType]?.data);
  return failures > (lowYields >= lowYieldsToOpen ? 0 : failuresToOpen) && lastSeq >= sinceSeq;
}

/** Counts how an automatic compaction ended, and stores it when that changes anything. */
export async function noteCompaction({ journal }: SessionRuntime, outcome: CompactOutcome): Promise<void> {
  if (outcome.trigger === 'manual' && outcome.status !== 'compacted') return;
  const { state, lastSeq } = journal.folded();
  const before = stateOf(state.records[recordType]?.data);
  const after = nextState(before, { outcome, lastSeq });
  if (after === null || JSON.stringify(after) === JSON.stringify(before)) return;
  await journal.append([{ type: recordType, data: { ...after } }]);
}

function nextState(
  before: BreakerState,
  { outcome, lastSeq }: { readonly outcome: CompactOutcome; readonly lastSeq: Seq },
): BreakerState | null {
  const { status, why, tokensBefore, tokensAfter, trigger } = outcome;
  if (status === 'irreducible' || status === 'failed') {
    return { ...before, failures: before.failures + 1, lastSeq, why };
  }
  if (status !== 'compacted') return null;
  const isLow = trigger !== 'manual' && tokensBefore - tokensAfter < leastYield * tokensBefore;
  return isLow ? { ...closed, lowYields: before.lowYields + 1, lastSeq } : closed;
}

/** What is no count, as in a journal that somebody else wrote, is 0. */
function stateOf(data: JsonValue | undefined): BreakerState {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return closed;
  const { failures, lowYields, lastSeq, why } = data as { readonly [Field in keyof BreakerState]?: JsonValue };
  const text = typeof why === 'string' ? why : '';
  return { failures: countOf(failures), lowYields: countOf(lowYields), lastSeq: countOf(lastSeq), why: text };
}

function countOf(value: JsonValue | undefined): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}
