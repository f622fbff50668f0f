import type { Milliseconds } from '@varve/core';

/** The calendar day of a moment in a time zone, as `2026-03-02`. @param timeZone  `null` for the machine's own. */
export function dayInZone(at: Milliseconds, timeZone: string | null): string {
  const format = new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
    ...(timeZone === null ? {} : { timeZone }),
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  return `${(parts.get('year') ?? '').padStart(4, '0')}-${parts.get('month')}-${parts.get('day')}`;
}

/** True for a name of a time zone that this machine knows. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
