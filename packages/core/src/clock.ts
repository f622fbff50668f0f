import type { Milliseconds } from './units.ts';

/** Time as core sees it; passed in, so that tests and replays own it. */
export interface Clock {
  /** Now, in milliseconds since 1970. May jump; core only compares and stores it. */
  now(): Milliseconds;
  /** Runs `callback` once after `delay`. Returns what cancels it. */
  after(delay: Milliseconds, callback: () => void): () => void;
}

/** Timers of JavaScript run at once when they are asked to wait longer than this. */
const longestDelayMs: Milliseconds = 2_147_483_647;

/** The machine's own time. Who waits longer than 24 days is called back then. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (delay, callback) => {
    const timer = setTimeout(callback, Math.min(delay, longestDelayMs));
    return () => clearTimeout(timer);
  },
};
