import type { Operation } from '../transcript-plan.ts';

/** A signal that is aborted already, or after so many steps of other code. */
export function signalFor(abort: Extract<Operation, { readonly do: 'ask' }>['abort']): AbortSignal | undefined {
  if (abort === 'never') return undefined;
  const controller = new AbortController();
  const later = async (steps: number): Promise<void> => {
    for (let step = 0; step < steps; step += 1) await undefined;
    controller.abort();
  };
  if (abort === 'before') controller.abort();
  else void later(abort);
  return controller.signal;
}
