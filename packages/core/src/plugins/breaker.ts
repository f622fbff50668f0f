import type { Milliseconds } from '../units.ts';

/** Failures in a row after which a breaker opens. */
const failuresToOpen = 3;

/** How long an open breaker waits before it lets one call through to see; doubled each time that call fails. */
const firstWaitMs: Milliseconds = 30_000;
const longestWaitMs: Milliseconds = 1_800_000;

/** Stops calling what keeps failing. */
export interface Breaker {
  /**
   * False while open; once in a while true for one call, to probe. While that one runs, and if it ends without a
   * verdict, others wait as long again.
   */
  allows(now: Milliseconds): boolean;
  succeeded(): void;
  /** Counts a failure; with `opens: false` the breaker stays closed however often it fails. */
  failed(now: Milliseconds, options: { readonly opens: boolean }): void;
  readonly isOpen: boolean;
  /** Failures in a row. */
  readonly failures: number;
}

/** Makes a closed breaker. */
export function createBreaker(): Breaker {
  let failures = 0;
  let wait = firstWaitMs;
  let openUntil: Milliseconds | null = null;
  return {
    allows: (now) => {
      if (openUntil === null) return true;
      if (now < openUntil) return false;
      openUntil = now + wait;
      return true;
    },
    succeeded: () => {
      failures = 0;
      wait = firstWaitMs;
      openUntil = null;
    },
    failed: (now, { opens }) => {
      failures += 1;
      if (!opens || failures < failuresToOpen) return;
      if (openUntil !== null) wait = Math.min(longestWaitMs, wait * 2);
      openUntil = now + wait;
    },
    get isOpen() {
      return openUntil !== null;
    },
    get failures() {
      return failures;
    },
  };
}
