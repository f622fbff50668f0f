import { type Clock, type Milliseconds, throwIfAborted, untilAborted, VarveError } from '@varve/core';

const firstPauseMs: Milliseconds = 1_000;
const longestPauseMs: Milliseconds = 60_000;

/** How something is tried again. */
export interface TryOptions {
  readonly clock: Clock;
  /** Ends the trying. */
  readonly signal: AbortSignal;
  /** Told of each failure that is tried again. */
  onFailure(error: unknown): void;
}

/**
 * Does what must be done until it is: after a second, then twice as long each time, at most a minute. What is given up
 * once would be lost.
 *
 * @param work  Gets how often it failed before.
 * @throws VARVE_ABORTED; VARVE_SESSION_CLOSED  when the host is closed: nothing can be done any more.
 */
export async function tryUntilDone<Result>(
  work: (failures: number) => Promise<Result>,
  { clock, signal, onFailure }: TryOptions,
): Promise<Result> {
  for (let failures = 0; ; failures += 1) {
    throwIfAborted(signal);
    try {
      return await work(failures);
    } catch (error) {
      if (VarveError.is(error, 'VARVE_SESSION_CLOSED') || VarveError.is(error, 'VARVE_ABORTED')) throw error;
      onFailure(error);
    }
    await pause(Math.min(firstPauseMs * 2 ** failures, longestPauseMs), { clock, signal });
  }
}

async function pause(ms: Milliseconds, { clock, signal }: Pick<TryOptions, 'clock' | 'signal'>): Promise<void> {
  let cancel = (): void => undefined;
  const over = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve);
  });
  try {
    await untilAborted(over, signal);
  } finally {
    cancel();
  }
}
