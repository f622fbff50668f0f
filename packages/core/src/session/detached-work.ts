import type { Clock } from '../clock.ts';
import { endInTime } from '../plugins/end-in-time.ts';

/** What goes on beside the conversation: nobody waits for it, and the session does not end under it. */
export interface DetachedWork {
  /** Begins at once, unless the session is being closed. */
  begin(work: (signal: AbortSignal) => Promise<unknown>, options: { onError(error: unknown): void }): void;
  /** Whether anything goes on. */
  isRunning(): boolean;
  /** Aborts all of it and waits for its end. Resolves to whether that came in time. */
  close(): Promise<boolean>;
}

/** Makes one in which nothing goes on. */
export function createDetachedWork(clock: Clock): DetachedWork {
  const ending = new AbortController();
  const running = new Set<Promise<void>>();
  return {
    begin: (work, { onError }) => {
      if (ending.signal.aborted) return;
      const run = (async () => {
        try {
          await work(ending.signal);
        } catch (error) {
          if (!ending.signal.aborted) onError(error);
        }
      })();
      running.add(run);
      void run.then(() => running.delete(run));
    },
    isRunning: () => running.size > 0,
    close: async () => {
      ending.abort();
      return endInTime(async () => {
        await Promise.all(running);
      }, clock);
    },
  };
}
