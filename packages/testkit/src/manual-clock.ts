import type { Clock, Milliseconds } from '@varve/core';

/** A clock that only moves when it is told to. */
export interface ManualClock extends Clock {
  /** Lets time pass; what falls due runs in order. */
  advance(ms: Milliseconds): void;
}

/** Makes a clock that stands still at a moment. @default 2023-11-14T22:13:20Z */
export function manualClock(start: Milliseconds = 1_700_000_000_000): ManualClock {
  let now = start;
  const timers = new Set<{ readonly at: Milliseconds; readonly run: () => void }>();
  return {
    now: () => now,
    after: (delay, run) => {
      const timer = { at: now + delay, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance: (ms) => {
      now += ms;
      for (const timer of [...timers].filter(({ at }) => at <= now).sort((a, b) => a.at - b.at)) {
        if (timers.delete(timer)) timer.run();
      }
    },
  };
}
