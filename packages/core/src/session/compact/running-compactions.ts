import type { Clock } from '../../clock.ts';
import { endInTime } from '../../plugins/end-in-time.ts';
import { closedError } from '../closed-error.ts';
import { linkSignals } from '../link-signals.ts';

/** The compactions of a session that somebody waits for: they end with the session. */
export interface RunningCompactions {
  /**
   * Runs one, with a signal that is aborted by its caller or by the end of the session.
   *
   * @throws VARVE_SESSION_CLOSED  once the session is being closed.
   */
  run<Job extends { readonly signal?: AbortSignal | undefined }, Result>(
    job: Job,
    work: (linked: Job) => Promise<Result>,
  ): Promise<Result>;
  /** Whether one runs. */
  isRunning(): boolean;
  /** Aborts all of them and waits for their ends. Resolves to whether they came in time. */
  close(): Promise<boolean>;
}

/** Makes the compactions of a session in which none runs. */
export function createRunningCompactions(clock: Clock): RunningCompactions {
  const ending = new AbortController();
  const running = new Set<Promise<unknown>>();
  return {
    run: async (job, work) => {
      if (ending.signal.aborted) throw closedError();
      const { signal, unlink } = linkSignals([job.signal, ending.signal]);
      const working = work({ ...job, signal });
      running.add(working);
      try {
        return await working;
      } finally {
        running.delete(working);
        unlink();
      }
    },
    isRunning: () => running.size > 0,
    close: async () => {
      ending.abort(closedError());
      return endInTime(async () => {
        await Promise.allSettled(running);
      }, clock);
    },
  };
}
