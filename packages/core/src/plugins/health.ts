import { type ErrorCode, messageOfError, VarveError } from '../errors.ts';
import type { Milliseconds } from '../units.ts';
import { type Breaker, createBreaker } from './breaker.ts';

/** Something that failed in a session: a tap of a plugin, or a method of an engine. */
export interface HealthFinding {
  /** Plugin or engine. */
  readonly name: string;
  /** `shape: cap tool output` for a tap, `assemble` for an engine's method. */
  readonly where: string;
  /** True while its last call failed; false once one has succeeded again. */
  readonly isFailing: boolean;
  /** All failures since the session was opened. */
  readonly failures: number;
  readonly lastError: string;
  readonly lastCode: ErrorCode | null;
  readonly lastAt: Milliseconds;
  /** True while it is not called any more, but for a probe now and then. */
  readonly isSkipped: boolean;
}

/** How automatic compactions of a session have ended lately. It is kept in the journal, and so across restarts. */
export interface CompactionHealth {
  /** Failures in a row. */
  readonly failures: number;
  /** Compactions in a row that freed too little to be worth it. */
  readonly lowYields: number;
  /** True while strategies are not asked any more; core's own compaction is still tried when the prompt is too long. */
  readonly isBlocked: boolean;
  /** Entries that are still to come before strategies are asked again; 0 while nothing is blocked. */
  readonly entriesToProbe: number;
  /** What the last failure said; empty for none. */
  readonly why: string;
}

/** How the taps, layers, tools and engine of a session are doing. */
export interface PartsHealth {
  /** True while the last call of every part succeeded. What failed before stays in `findings`. */
  readonly ok: boolean;
  readonly findings: readonly HealthFinding[];
}

/** How a session is doing. */
export interface Health extends PartsHealth {
  /** True while nothing is failing: the last call of every part succeeded, and so did the last automatic compaction. */
  readonly ok: boolean;
  readonly compaction: CompactionHealth;
}

/** Keeps what failed in one session, and the breakers that stop it from being called again and again. */
export interface HealthRecord {
  /** True while nothing has ever failed: then no breaker has anything to say. */
  isSound(): boolean;
  breakerOf(name: string, where: string): Breaker;
  /** Notes a failure; `skips` says whether it counts towards not being called any more. */
  failed(name: string, where: string, failure: Failure & { readonly skips: boolean }): void;
  report(): PartsHealth;
}

interface Failure {
  readonly error: unknown;
  readonly at: Milliseconds;
}

interface Part {
  readonly breaker: Breaker;
  failures: number;
  last: Failure | null;
}

/** Makes an empty record. */
export function createHealthRecord(): HealthRecord {
  let isSound = true;
  const parts = new Map<string, { readonly name: string; readonly where: string; readonly part: Part }>();
  const partOf = (name: string, where: string): Part => {
    const id = JSON.stringify([name, where]);
    const known = parts.get(id) ?? { name, where, part: { breaker: createBreaker(), failures: 0, last: null } };
    parts.set(id, known);
    return known.part;
  };
  return {
    isSound: () => isSound,
    breakerOf: (name, where) => partOf(name, where).breaker,
    failed: (name, where, failure) => {
      isSound = false;
      const part = partOf(name, where);
      part.failures += 1;
      part.last = failure;
      part.breaker.failed(failure.at, { opens: failure.skips });
    },
    report: () => {
      const findings = [...parts.values()].flatMap(({ name, where, part }): HealthFinding[] => {
        if (part.last === null) return [];
        const { error, at } = part.last;
        return [
          {
            name,
            where,
            isFailing: part.breaker.failures > 0,
            failures: part.failures,
            lastError: messageOfError(error),
            lastCode: VarveError.is(error) ? error.code : null,
            lastAt: at,
            isSkipped: part.breaker.isOpen,
          },
        ];
      });
      return { ok: findings.every((finding) => !finding.isFailing), findings };
    },
  };
}
