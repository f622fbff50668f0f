import type { Milliseconds } from '../units.ts';

/** Failures in a row after which a breaker opens. */
const failuresToOpen = 3;

/** How long an open breaker waits before it lets one call through to see; doubled each time that call fails. */
const firstWaitMs: Milliseconds = 30_000;
const longestWaitMs: Milliseconds = 1_800_000;

/** Stops calling what keeps failing. */
export interface Breaker {
  /** False while open; once in a while true, to probe. */
  allows(now: Milliseconds): boolean;
  succeeded(): void;
  failed(now: Milliseconds): void;
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
    allows: (now) => openUntil === null || now >= openUntil,
    succeeded: () => {
      failures = 0;
      wait = firstWaitMs;
      openUntil = null;
    },
    failed: (now) => {
      failures += 1;
      if (failures < failuresToOpen) return;
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
