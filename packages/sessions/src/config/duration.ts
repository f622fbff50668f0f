import type { Milliseconds } from '@varve/core';

const unitMs: Readonly<Record<string, Milliseconds>> = {
  ...{ ms: 1, s: 1_000, m: 60_000, h: 3_600_000 },
  ...{ d: 86_400_000, w: 7 * 86_400_000 },
};

/** Reads `500ms`, `30s`, `5m`, `1h`, `30d`, `2w`; `null` for anything else. */
export function parseDuration(text: string): Milliseconds | null {
  const [, amount = '', unit = ''] = /^\s*(\d+(?:\.\d+)?)\s*(ms|[smhdw])\s*$/i.exec(text) ?? [];
  const ms = Number(amount) * (unitMs[unit.toLowerCase()] ?? Number.NaN);
  return amount !== '' && Number.isSafeInteger(Math.round(ms)) ? Math.round(ms) : null;
}
