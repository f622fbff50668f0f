import { type Clock, type Milliseconds, untilAborted, VarveError } from '@varve/core';

/**
 * Does work that ends with the signal, or when its time is up: then the caller still has time to write down why.
 *
 * @throws VARVE_TAP_TIMEOUT  when the time is up; VARVE_ABORTED with the signal; else what the work throws.
 */
export async function withinTime<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  { clock, ms, signal }: { readonly clock: Clock; readonly ms: Milliseconds; readonly signal: AbortSignal },
): Promise<Result> {
  const controller = new AbortController();
  let isLate = false;
  const cancel = clock.after(ms, () => {
    isLate = true;
    controller.abort();
  });
  const onAbort = (): void => controller.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await untilAborted(work(controller.signal), controller.signal);
  } catch (error) {
    if (!isLate) throw error;
    throw new VarveError('VARVE_TAP_TIMEOUT', `Notes were not ready within ${Math.round(ms / 1_000)} s.`, {
      fix: 'Use a model that answers faster, or none: then notes are taken from the digest.',
      cause: error,
    });
  } finally {
    cancel();
    signal.removeEventListener('abort', onAbort);
  }
}
