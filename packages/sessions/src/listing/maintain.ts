import type { SessionRecord } from '@varve/core';
import { archiveSession } from './archive-session.ts';
import { type ChangeLine, failedLine } from './change-line.ts';
import { type ChangeOptions, checkChangeOptions } from './change-options.ts';
import type { ListingParts } from './listing-parts.ts';
import { type MaintenancePolicy, type ResolvedPolicy, resolvePolicy } from './maintenance-policy.ts';
import type { OpenChildren } from './open-children.ts';
import { isStillDue, type MaintenanceRule, type PlannedArchive, planMaintenance } from './plan-maintenance.ts';
import { type PlannedStorage, planStorage, type StorageRule } from './plan-storage.ts';
import { refuseForChildren } from './refuse-for-children.ts';
import { storeAway, whyKept } from './store-away.ts';

/** What became of a session that a rule found. */
export interface MaintenanceLine extends ChangeLine {
  /** What was done with it, or would be. */
  readonly action: 'archive' | 'compress' | 'delete';
  readonly rule: MaintenanceRule | StorageRule;
  /** Why the rule found it. */
  readonly found: string;
}

/** What maintenance did, or would do. */
export interface MaintenanceReport {
  readonly isDryRun: boolean;
  /** Open sessions that were looked at. */
  readonly looked: number;
  /** Archived sessions that were looked at; 0 where no rule asks for them. */
  readonly lookedArchived: number;
  /** One for each session that a rule found: those to archive, then archived ones; updated longest ago first. */
  readonly lines: readonly MaintenanceLine[];
  /** True when the signal was aborted before all had their turn; those that had none have no line. */
  readonly isCutShort: boolean;
}

/**
 * Archives what a policy finds, and compresses, and if asked deletes, what was archived long ago. Plans first; changes only
 * what nobody works with, in this process or another, what was not used since the plan, and what has no sub-agent that
 * works. What is archived can be read and restored, compressed or not. What goes wrong with one session is on its line, and
 * the next one follows.
 *
 * @throws VARVE_OPTION_INVALID
 */
export async function maintainSessions(
  parts: ListingParts,
  policy: MaintenancePolicy = {},
  options: ChangeOptions = {},
): Promise<MaintenanceReport> {
  checkChangeOptions(options, 'sessions.maintain');
  const { dryRun: isDryRun = false, signal } = options;
  const { host, clock } = parts;
  const resolved = resolvePolicy(policy);
  const now = clock.now();
  const plan = await planMaintenance({ host, now }, resolved);
  const storage = await planStorage({ host, now }, resolved);
  const run: Run = { parts, policy: resolved, isDryRun, children: plan.children };
  const lines: MaintenanceLine[] = [];
  for (const planned of plan.archives) {
    if (signal?.aborted === true) break;
    const { rule, why: found } = planned;
    lines.push({ ...(await carryOut(run, planned)), action: 'archive', rule, found });
  }
  for (const planned of storage.changes) {
    if (signal?.aborted === true) break;
    const { rule, why: found } = planned;
    const action = rule === 'compress' ? 'compress' : 'delete';
    lines.push({ ...(await carryOutStorage(run, planned)), action, rule, found });
  }
  const isCutShort = lines.length < plan.archives.length + storage.changes.length;
  return { isDryRun, looked: plan.looked, lookedArchived: storage.looked, lines, isCutShort };
}

interface Run {
  readonly parts: ListingParts;
  readonly policy: ResolvedPolicy;
  readonly isDryRun: boolean;
  /** Sub-agents that were open when the plan was made. */
  readonly children: OpenChildren;
}

async function carryOut(run: Run, planned: PlannedArchive): Promise<ChangeLine> {
  const { isDryRun } = run;
  const { record } = planned;
  const { sessionId, key } = record;
  try {
    const why = (await protectedBy(run, record)) ?? (isDryRun ? null : await archive(run, planned));
    if (why !== null) return { sessionId, key, outcome: 'skipped', why };
    return { sessionId, key, outcome: isDryRun ? 'planned' : 'done', why: null };
  } catch (error) {
    return failedLine(record, error);
  }
}

async function carryOutStorage({ parts, isDryRun, children }: Run, planned: PlannedStorage): Promise<ChangeLine> {
  const { sessionId, key } = planned.record;
  try {
    const away = { ...parts, children };
    const why = await (isDryRun ? whyKept(away, planned) : storeAway(away, planned));
    if (why !== null) return { sessionId, key, outcome: 'skipped', why };
    return { sessionId, key, outcome: isDryRun ? 'planned' : 'done', why: null };
  } catch (error) {
    return failedLine(planned.record, error);
  }
}

/** Why a session stays whatever a rule says; `null` when nothing keeps it. */
async function protectedBy({ parts, children }: Run, record: SessionRecord): Promise<string | null> {
  const { live } = parts;
  const { key, sessionId } = record;
  if (key !== null && live.awake(key)?.sessionId === sessionId) return 'it is awake';
  // Whoever has begun one since is not idle, and is found so by its journal or its lock.
  return refuseForChildren(parts, record, children);
}

function archive(run: Run, { record, rule }: PlannedArchive): Promise<string | null> {
  const { parts, policy } = run;
  return archiveSession(parts, record, {
    reason: `maintenance: ${rule}`,
    refuse: async (now) => {
      const age = parts.clock.now() - now.updatedAt;
      const isDue = now.currentSince === record.currentSince && isStillDue(rule, { age, policy });
      return isDue ? protectedBy(run, now) : 'it was used meanwhile';
    },
  });
}
