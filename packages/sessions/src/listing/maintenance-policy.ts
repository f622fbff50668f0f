import { type Milliseconds, type SessionRecord, VarveError } from '@varve/core';
import { z } from 'zod';
import { checkOptions } from './check-options.ts';

/** Which sessions maintenance archives, and what becomes of archived ones. `false` takes a rule out. */
export interface MaintenancePolicy {
  /** Sessions that were not updated for so long. @default 30 days */
  readonly olderThanMs?: Milliseconds | false | undefined;
  /** Most open sessions; the ones that were updated last stay. Runs of jobs and hooks do not count. @default 5 000 */
  readonly maxSessions?: number | false | undefined;
  /** Most bytes of the journals of open sessions, as `bytesOf` measures them; the ones updated last stay. @default false */
  readonly maxBytes?: number | false | undefined;
  /** Size of a session's journal. Needed with `maxBytes`: only who knows the store can tell. */
  readonly bytesOf?: ((record: SessionRecord) => number | Promise<number>) | undefined;
  /** Runs of scheduled jobs, and sessions of hooks, that were not updated for so long. @default 24 hours */
  readonly cronRunsOlderThanMs?: Milliseconds | false | undefined;
  /**
   * What a crash left open: generations that never became the current one of a conversation that goes on in another, or
   * that nothing was said in; and those that another one has followed. @default true
   */
  readonly orphans?: boolean | undefined;
  /**
   * Journals of sessions that were archived for so long, and not changed since, are packed, where the store can do that.
   * They are read as before, and unpacked when somebody works with the session again. @default 30 days
   */
  readonly compressArchivedAfterMs?: Milliseconds | false | undefined;
  /**
   * Sessions that were archived for so long, and not changed since, are deleted with their journals, for good. Not those
   * whose conversation has open sub-agents, and not the last one of a conversation in which nothing goes on, as long as the
   * next one takes over from it what is forbidden (`send`, `incognito`). @default false
   */
  readonly deleteArchivedAfterMs?: Milliseconds | false | undefined;
  /** Sessions that were updated within that time are left alone, but for runs and hooks. @default 1 hour */
  readonly keepRecentMs?: Milliseconds | undefined;
  /** Sessions that are never to be touched. @default none */
  readonly keep?: ((record: SessionRecord) => boolean) | undefined;
}

/** A policy with its defaults. */
export type ResolvedPolicy = Pick<MaintenancePolicy, 'bytesOf'> & {
  readonly [Name in keyof Omit<MaintenancePolicy, 'bytesOf'>]-?: Exclude<MaintenancePolicy[Name], undefined>;
};

const hourMs: Milliseconds = 3_600_000;
const dayMs: Milliseconds = 24 * hourMs;

const span = z.union([z.number().nonnegative(), z.literal(false)]).optional();
const callback = z.custom((value) => typeof value === 'function', { error: 'it must be a function' }).optional();

const policySchema = z.strictObject({
  olderThanMs: span,
  maxSessions: span,
  maxBytes: span,
  bytesOf: callback,
  cronRunsOlderThanMs: span,
  orphans: z.boolean().optional(),
  compressArchivedAfterMs: span,
  deleteArchivedAfterMs: span,
  keepRecentMs: z.number().nonnegative().optional(),
  keep: callback,
} satisfies Record<keyof MaintenancePolicy, z.ZodType>);

/** Checks a policy, and puts the defaults into it. @throws VARVE_OPTION_INVALID */
export function resolvePolicy(policy: MaintenancePolicy): ResolvedPolicy {
  checkOptions(policy, { schema: policySchema, what: 'sessions.maintain' });
  const { maxBytes = false, bytesOf } = policy;
  if (maxBytes !== false && bytesOf === undefined) {
    throw new VarveError('VARVE_OPTION_INVALID', 'sessions.maintain was given maxBytes, and nothing that measures.', {
      fix: 'Give bytesOf, too: a function that says how large the journal of a record is.',
      details: { path: 'bytesOf' },
    });
  }
  return {
    olderThanMs: policy.olderThanMs ?? 30 * dayMs,
    maxSessions: policy.maxSessions ?? 5_000,
    maxBytes,
    bytesOf,
    cronRunsOlderThanMs: policy.cronRunsOlderThanMs ?? dayMs,
    orphans: policy.orphans ?? true,
    compressArchivedAfterMs: policy.compressArchivedAfterMs ?? 30 * dayMs,
    deleteArchivedAfterMs: policy.deleteArchivedAfterMs ?? false,
    keepRecentMs: policy.keepRecentMs ?? hourMs,
    keep: policy.keep ?? (() => false),
  };
}
