import type { Clock } from '../clock.ts';
import type { Milliseconds } from '../units.ts';

/** How long code of a plugin may take to end: its clean-up, or the `dispose` of its engine. */
export const endingDeadlineMs: Milliseconds = 5_000;

/**
 * Runs what code of a plugin does at its end, and gives up on it at the deadline: closing goes on without it. Resolves
 * to whether it was done in time.
 *
 * @throws  what the code threw in time.
 */
export async function endInTime(end: () => void | Promise<void>, clock: Clock): Promise<boolean> {
  let cancel = (): void => undefined;
  const late = new Promise<false>((resolve) => {
    cancel = clock.after(endingDeadlineMs, () => resolve(false));
  });
  const done = (async () => {
    await end();
    return true;
  })();
  try {
    return await Promise.race([done, late]);
  } finally {
    cancel();
  }
}
