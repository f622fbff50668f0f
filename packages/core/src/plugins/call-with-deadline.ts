import { messageOfError, VarveError } from '../errors.ts';
import { type CalledCode, GuardedCall } from './guarded-call.ts';
import type { GuardedRun } from './guarded-run.ts';
import type { HookContext } from './hook-context.ts';
import type { GuardedTap } from './hooks.ts';

/**
 * Calls code of a plugin with a context, and gives up at the deadline or when the caller aborts. The context is revoked
 * when the call is over, however it ended. For engines and tools; taps are called by the guard.
 *
 * @throws VARVE_TAP_TIMEOUT  at the deadline; VARVE_ABORTED when the caller aborted; else what the code threw.
 */
export async function callWithDeadline<Result>(
  invoke: (context: HookContext) => Result | Promise<Result>,
  { run, ...code }: CalledCode & { readonly run: GuardedRun },
): Promise<Result> {
  const call = new GuardedCall(code, { run, startedAt: run.clock.now() });
  try {
    const result = invoke(call.context());
    // What is there already needs nobody who watches the time.
    return isThenable(result) ? await inTime(result, { call, run }) : result;
  } finally {
    call.end();
  }
}

async function inTime<Result>(
  result: PromiseLike<Result>,
  { call, run }: { readonly call: GuardedCall; readonly run: GuardedRun },
): Promise<Result> {
  let stop = (): void => undefined;
  try {
    return await new Promise<Result>((resolve, reject) => {
      const expire = (error: VarveError): void => {
        call.giveUp(error);
        reject(error);
      };
      const cancel = run.clock.after(call.code.rule.deadlineMs, () => expire(timeoutError(call.code)));
      const onAbort = (): void => expire(abortedError(run.signal));
      run.signal?.addEventListener('abort', onAbort, { once: true });
      stop = () => {
        cancel();
        run.signal?.removeEventListener('abort', onAbort);
      };
      if (run.signal?.aborted === true) onAbort();
      result.then(resolve, reject);
    });
  } finally {
    stop();
  }
}

/** Whether something has to be awaited. @throws  what its `then` throws when it is read. */
export function isThenable<Result>(result: Result | PromiseLike<Result>): result is PromiseLike<Result> {
  const isObject = (typeof result === 'object' && result !== null) || typeof result === 'function';
  return isObject && typeof (result as { readonly then?: unknown }).then === 'function';
}

/** What is said of code that is not done at its deadline. */
export function timeoutError({ plugin, where, rule }: CalledCode): VarveError {
  return new VarveError('VARVE_TAP_TIMEOUT', `"${plugin}" did not finish ${where} within ${rule.deadlineMs} ms.`, {
    fix: 'Do less in the tap, and pass context.signal to whatever it waits for.',
  });
}

/** What is said of code that its caller does not wait for any more. */
export function abortedError(signal: AbortSignal | undefined): VarveError {
  return new VarveError('VARVE_ABORTED', 'The operation was aborted by its caller.', {
    fix: 'Call again without aborting the signal.',
    cause: signal?.reason,
  });
}

/** What is said of a tap whose failure fails what it was called for. */
export function failedError({ plugin, hook, where }: GuardedTap, error: unknown): VarveError {
  return new VarveError('VARVE_PLUGIN_FAILED', `Plugin "${plugin}" failed in ${where}: ${messageOfError(error)}`, {
    fix: `Fix or remove the plugin "${plugin}"; nothing was stored.`,
    cause: error,
    details: { plugin, hook },
  });
}
