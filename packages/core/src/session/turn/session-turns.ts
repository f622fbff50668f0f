import type { Clock } from '../../clock.ts';
import type { TurnKind } from '../../journal/entry.ts';
import { endInTime } from '../../plugins/end-in-time.ts';
import { closedError } from '../closed-error.ts';
import { linkSignals } from '../link-signals.ts';
import { untilAborted } from './until-aborted.ts';

/** A turn that runs. */
interface RunningTurn {
  readonly id: string;
  readonly kind: TurnKind;
}

/** One turn that is to run when those before it have ended. */
interface TurnJob<Result> {
  /** The caller's own. */
  readonly signal: AbortSignal | undefined;
  /** Says who the turn is, when it begins. */
  begin(): RunningTurn;
  /** Does it. `signal` is aborted by the caller or by the end of the session. */
  work(turn: RunningTurn, signal: AbortSignal): Promise<Result>;
  /** What there is of a turn that was aborted before it began. */
  neverBegun(signal: AbortSignal): Result;
}

/**
 * The turns of one session in this process: one after the other, in the order of the calls. Who keeps turns of several
 * processes apart does it around `work`.
 */
export interface SessionTurns {
  /** The turn that runs; `null` between turns. */
  current(): RunningTurn | null;
  /** Runs a turn when its time has come. @throws VARVE_SESSION_CLOSED  once the session is being closed. */
  take<Result>(job: TurnJob<Result>): Promise<Result>;
  /** Aborts what runs and what waits; gives whether there was any. What comes later is not aborted. */
  abort(reason: string): boolean;
  /** Aborts what runs and what waits, and waits for their ends. Resolves to whether they came in time. */
  close(): Promise<boolean>;
}

/** Makes the turns of a session in which none has been taken. */
export function createSessionTurns(clock: Clock): SessionTurns {
  const ending = new AbortController();
  let stopping = new AbortController();
  let taken = 0;
  let current: RunningTurn | null = null;
  let last: Promise<unknown> = Promise.resolve();
  return {
    current: () => current,
    take: async (job) => {
      if (ending.signal.aborted) throw closedError();
      const before = last;
      let leave = (): void => undefined;
      const over = new Promise<void>((resolve) => {
        leave = resolve;
      });
      last = before.then(() => over);
      const { signal, unlink } = linkSignals([job.signal, ending.signal, stopping.signal]);
      taken += 1;
      try {
        const isAborted = await untilAborted(before, signal).then(
          () => signal.aborted,
          () => true,
        );
        if (isAborted) return job.neverBegun(signal);
        current = job.begin();
        return await job.work(current, signal).finally(() => {
          current = null;
        });
      } finally {
        taken -= 1;
        unlink();
        leave();
      }
    },
    abort: (reason) => {
      if (taken === 0) return false;
      stopping.abort(reason);
      stopping = new AbortController();
      return true;
    },
    close: async () => {
      ending.abort(closedError());
      return endInTime(async () => {
        await last;
      }, clock);
    },
  };
}
