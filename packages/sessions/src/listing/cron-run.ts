import { formatKey, parseKey, VarveError } from '@varve/core';

/** A run of a scheduled job. */
export interface CronRun {
  readonly agentId: string;
  /** The host's own name of the job. */
  readonly job: string;
  /** Id of the run: one for each, such as a UUID. */
  readonly run: string;
}

/**
 * The key of one run of a scheduled job: a conversation of its own, so that no run sees what an earlier one said. Runs
 * are archived by maintenance when they are a day old.
 *
 * @throws VARVE_KEY_INVALID  for an empty part.
 */
export function cronRunKey({ agentId, job, run }: CronRun): string {
  return formatKey({ kind: 'cron', agentId, job, run });
}

/** Which run of which job a key names; `null` for a job itself, and for any other key or text. */
export function runOfCron(keyText: string): CronRun | null {
  try {
    const key = parseKey(keyText);
    if (key.kind !== 'cron' || key.run === undefined) return null;
    return { agentId: key.agentId, job: key.job, run: key.run };
  } catch (error) {
    if (VarveError.is(error, 'VARVE_KEY_INVALID')) return null;
    throw error;
  }
}
