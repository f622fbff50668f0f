import type { SessionRecord } from '@varve/core';
import { archiveSession } from './archive-session.ts';
import { type ChangeLine, failedLine } from './change-line.ts';
import { type ChangeOptions, checkChangeOptions } from './change-options.ts';
import type { ListingParts } from './listing-parts.ts';
import { type MaintenancePolicy, type ResolvedPolicy, resolvePolicy } from './maintenance-policy.ts';
import type { OpenChildren } from './open-children.ts';
import { isStillDue, type MaintenanceRule, type PlannedArchive, planMaintenance } from './plan-maintenance.ts';
import { refuseForChildren } from './refuse-for-children.ts';

/** What became of a session that a rule found. */
export interface MaintenanceLine extends ChangeLine {
  readonly rule: MaintenanceRule;
  /** Why the rule found it. */
  readonly found: string;
}

/** What maintenance did, or would do. */
export interface MaintenanceReport {
  readonly isDryRun: boolean;
  /** Open sessions that were looked at. */
  readonly looked: number;
  /** One for each session that a rule found, the one that was updated longest ago first. */
  readonly lines: readonly MaintenanceLine[];
  /** True when the signal was aborted before all had their turn; those that had none have no line. */
  readonly isCutShort: boolean;
}

/**
 * Archives what a policy finds. Plans first; archives only what nobody works with, in this process or another, what was
 * not used since the plan, and what has no sub-agent that works. Nothing is deleted: what is archived can be read and
 * restored. What goes wrong with one session is on its line, and the next one follows.
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
  const plan = await planMaintenance({ host, now: clock.now() }, resolved);
  const run: Run = { parts, policy: resolved, isDryRun, children: plan.children };
  const lines: MaintenanceLine[] = [];
  for (const planned of plan.archives) {
    if (signal?.aborted === true) break;
    const { rule, why: found } = planned;
    lines.push({ ...(await carryOut(run, planned)), rule, found });
  }
  return { isDryRun, looked: plan.looked, lines, isCutShort: lines.length < plan.archives.length };
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
