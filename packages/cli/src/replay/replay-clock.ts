import { type Clock, type Milliseconds, systemClock } from '@varve/core';

/** The time of a transcript. Deadlines of plugins run on the machine's time. */
export interface ReplayClock extends Clock {
  /** Goes on to a moment; never back. */
  moveTo(moment: Milliseconds): void;
  advance(span: Milliseconds): void;
  /** A conversation begins, with a time of its own. */
  restart(): void;
}

/** Stands at 1970 until the transcript says what time it is. */
export function createReplayClock(): ReplayClock {
  let now = 0;
  return {
    now: () => now,
    after: systemClock.after,
    moveTo: (moment) => {
      now = Math.max(now, moment);
    },
    advance: (span) => {
      now += span;
    },
    restart: () => {
      now = 0;
    },
  };
}
