import type { Milliseconds } from '@varve/core';

/** The day of a moment in UTC, as `2026-03-02`; the same everywhere. */
export function dayOf(at: Milliseconds): string {
  const date = new Date(Number.isFinite(at) ? at : 0);
  return Number.isNaN(date.getTime()) ? '1970-01-01' : date.toISOString().slice(0, 10);
}
