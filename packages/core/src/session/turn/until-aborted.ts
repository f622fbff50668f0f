import { throwIfAborted } from '../../errors.ts';

/**
 * Waits for work, but no longer than until the signal is aborted: what ignores the signal is left to itself.
 *
 * @throws VARVE_ABORTED  as soon as the signal is aborted; else what the work threw.
 */
export async function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = (): void => {
      try {
        throwIfAborted(signal);
      } catch (error) {
        reject(error);
      }
    };
    signal.addEventListener('abort', onAbort, { once: true });
    stop = () => signal.removeEventListener('abort', onAbort);
    onAbort();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    stop();
  }
}
