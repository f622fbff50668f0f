import type { Milliseconds } from './units.ts';

/** Time as core sees it; passed in, so that tests and replays own it. */
export interface Clock {
  /** Now, in milliseconds since 1970. May jump; core only compares and stores it. */
  now(): Milliseconds;
  /** Runs `callback` once after `delay`. Returns what cancels it. */
  after(delay: Milliseconds, callback: () => void): () => void;
}

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (delay, callback) => {
    const timer = setTimeout(callback, delay);
    return () => clearTimeout(timer);
  },
};
