/** A signal that is aborted with the first of some; `unlink` lets go of them. */
export function linkSignals(signals: readonly (AbortSignal | undefined)[]): {
  readonly signal: AbortSignal;
  readonly unlink: () => void;
} {
  const controller = new AbortController();
  const stops = signals.flatMap((source) => {
    if (source === undefined) return [];
    const onAbort = (): void => controller.abort(source.reason);
    source.addEventListener('abort', onAbort, { once: true });
    if (source.aborted) onAbort();
    return [() => source.removeEventListener('abort', onAbort)];
  });
  return { signal: controller.signal, unlink: () => stops.forEach((stop) => void stop()) };
}
