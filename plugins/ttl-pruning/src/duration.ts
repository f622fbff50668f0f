import type { Milliseconds } from '@varve/core';

/** How a duration is written: a number and, behind it, a unit. Without a unit it is minutes. */
export const durationPattern: RegExp = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?\s*$/i;

const unitMs: Readonly<Record<string, Milliseconds>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads `30s`, `5m`, `1h`, `1d`; a bare number, or a string without a unit, is minutes. `NaN` for anything else. */
export function toMilliseconds(duration: string | number): Milliseconds {
  const [, amount = 'NaN', unit = 'm'] = durationPattern.exec(String(duration)) ?? [];
  return Number(amount) * (unitMs[unit.toLowerCase()] ?? NaN);
}
