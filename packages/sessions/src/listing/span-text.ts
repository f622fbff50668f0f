import type { Milliseconds } from '@varve/core';

/** A span of time in one unit, rounded down: `5 min`, `31 h`, `40 d`. */
export function spanText(ms: Milliseconds): string {
  const hours = ms / 3_600_000;
  if (hours < 1) return `${Math.floor(ms / 60_000)} min`;
  return hours < 48 ? `${Math.floor(hours)} h` : `${Math.floor(hours / 24)} d`;
}
