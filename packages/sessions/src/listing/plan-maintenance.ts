import type { Host, Milliseconds, SessionRecord } from '@varve/core';
import { becameCurrentAt } from '../generation/generations.ts';
import { runOfCron } from './cron-run.ts';
import { currentByKey } from './current-by-key.ts';
import { factsOfKey } from './key-facts.ts';
import type { ResolvedPolicy } from './maintenance-policy.ts';
import { addChild, type OpenChildren } from './open-children.ts';
import { spanText } from './span-text.ts';
import { walkRecords } from './walk-records.ts';

/** Why maintenance archives a session. */
export type MaintenanceRule = 'run' | 'unfinished' | 'superseded' | 'age' | 'count' | 'size';

/** A session that a policy would archive. */
export interface PlannedArchive {
  readonly record: SessionRecord;
  readonly rule: MaintenanceRule;
  /** In words, with the figures. */
  readonly why: string;
}

/** What a policy comes to. */
export interface MaintenancePlan {
  /** Open sessions that were looked at. */
  readonly looked: number;
  /** The one that was updated longest ago first. */
  readonly archives: readonly PlannedArchive[];
  /** The sub-agents that are open. */
  readonly children: OpenChildren;
}

/** What a plan is made with. */
export interface PlanParts {
  readonly host: Host;
  readonly now: Milliseconds;
}

/** What is known while the records are walked over: the current generations, and sums of what stays. */
interface Walk {
  readonly policy: ResolvedPolicy;
  readonly current: ReadonlyMap<string, string>;
  sessions: number;
  bytes: number;
}

/** Says which sessions a policy archives, and changes nothing. Of all others only sums are kept. */
export async function planMaintenance(parts: PlanParts, policy: ResolvedPolicy): Promise<MaintenancePlan> {
  const archives: PlannedArchive[] = [];
  const children = new Map<string, SessionRecord[]>();
  const walk: Walk = { policy, current: await currentByKey(parts.host.sessions), sessions: 0, bytes: 0 };
  let looked = 0;
  for await (const record of walkRecords(parts.host.sessions, { state: 'open' })) {
    looked += 1;
    addChild(children, record);
    const planned = policy.keep(record) ? null : await planFor(parts, record, walk);
    if (planned !== null) archives.push({ record, ...planned });
    else if (!isRun(record)) {
      walk.sessions += 1;
      walk.bytes += policy.maxBytes === false ? 0 : await (policy.bytesOf?.(record) ?? 0);
    }
  }
  return { looked, archives: archives.reverse(), children };
}

type Reason = Omit<PlannedArchive, 'record'>;

async function planFor(parts: PlanParts, record: SessionRecord, walk: Walk): Promise<Reason | null> {
  const age = parts.now - record.updatedAt;
  const { olderThanMs, maxSessions, maxBytes, cronRunsOlderThanMs, keepRecentMs, orphans, bytesOf } = walk.policy;
  if (isRun(record)) {
    if (cronRunsOlderThanMs === false || age < cronRunsOlderThanMs) return null;
    return { rule: 'run', why: `a run, last updated ${spanText(age)} ago` };
  }
  if (age < keepRecentMs) return null;
  const orphan = orphans ? await orphanReason(parts, record, walk) : null;
  if (orphan !== null) return orphan;
  if (olderThanMs !== false && age >= olderThanMs) return { rule: 'age', why: `last updated ${spanText(age)} ago` };
  if (maxSessions !== false && walk.sessions >= maxSessions) {
    return { rule: 'count', why: `${walk.sessions} sessions were updated later` };
  }
  if (maxBytes === false) return null;
  const bytes = walk.bytes + (await (bytesOf?.(record) ?? 0));
  return bytes <= maxBytes ? null : { rule: 'size', why: `with those updated later, ${bytes} bytes` };
}

/** Whether a rule still holds for a session that is as old as that by now: a record may be behind its journal. */
export function isStillDue(
  rule: MaintenanceRule,
  { age, policy }: { readonly age: Milliseconds; readonly policy: ResolvedPolicy },
): boolean {
  const least = rule === 'run' ? policy.cronRunsOlderThanMs : rule === 'age' ? policy.olderThanMs : 0;
  return age >= (least === false ? 0 : least) && (rule === 'run' || age >= policy.keepRecentMs);
}

/** What a crash between two steps of beginning or ending a generation leaves open. */
async function orphanReason({ host }: PlanParts, record: SessionRecord, { current }: Walk): Promise<Reason | null> {
  const { key, sessionId } = record;
  if (key === null) return null;
  const other = current.get(key);
  if (other === sessionId) return null;
  const isUnfinished = becameCurrentAt(record) === null;
  if (other !== undefined) {
    const rule = isUnfinished ? 'unfinished' : 'superseded';
    return { rule, why: `its conversation goes on in session ${other}` };
  }
  if (!isUnfinished || (await holdsMessages(host, record))) return null;
  return { rule: 'unfinished', why: 'it never became the current one, and nothing was said in it' };
}

/** The record counts now and then; the journal knows. */
async function holdsMessages(host: Host, { sessionId }: SessionRecord): Promise<boolean> {
  try {
    await using session = await host.open(sessionId, { readOnly: true });
    return session.info().counters.messages > 0;
  } catch {
    // What cannot be read is nobody's to put away.
    return true;
  }
}

function isRun(record: SessionRecord): boolean {
  return record.key !== null && (runOfCron(record.key) !== null || factsOfKey(record).kind === 'hook');
}
