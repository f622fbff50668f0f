import type { Clock } from '../../clock.ts';
import { endInTime } from '../../plugins/end-in-time.ts';

/** A compaction that runs beside the conversation: at most one at a time, and nobody waits for it. */
export interface BackgroundCompaction {
  /** Begins, unless one is running already or the session is being closed. */
  begin(work: (signal: AbortSignal) => Promise<unknown>, options: { onError(error: unknown): void }): void;
  /** Whether it runs. */
  isRunning(): boolean;
  /** Aborts it and waits for its end. Resolves to whether that came in time. */
  close(): Promise<boolean>;
}

/** Makes one that does not run. */
export function createBackgroundCompaction(clock: Clock): BackgroundCompaction {
  const ending = new AbortController();
  let running: Promise<void> | null = null;
  return {
    begin: (work, { onError }) => {
      if (running !== null || ending.signal.aborted) return;
      running = (async () => {
        // Whoever ends a turn goes on first.
        await Promise.resolve();
        try {
          await work(ending.signal);
        } catch (error) {
          if (!ending.signal.aborted) onError(error);
        } finally {
          running = null;
        }
      })();
    },
    isRunning: () => running !== null,
    close: async () => {
      ending.abort();
      return endInTime(async () => {
        await running;
      }, clock);
    },
  };
}
