import type { Milliseconds } from '@varve/core';

/** Days as a time window names them, in the order of a week. */
export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** How a time of day is written; `24:00` is the end of the day. */
export const timeOfDayPattern: RegExp = /^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/;

/** A time window with its defaults. */
export interface ResolvedWindow {
  readonly days: readonly (typeof weekdays)[number][];
  readonly from: string;
  readonly to: string;
  /** `null` for the machine's own. */
  readonly timeZone: string | null;
}

/**
 * Whether a moment lies in a window, by the clock on the wall of its zone: `from` belongs to it, `to` does not. A window
 * that ends at an earlier time than it begins ends on the next day, and belongs to the day on which it began.
 *
 * @throws RangeError  for a moment that no clock shows.
 */
export function isWithin(now: Milliseconds, { days, from, to, timeZone }: ResolvedWindow): boolean {
  const { day, minute } = wallClock(now, timeZone);
  const [begin, end] = [minuteOf(from), minuteOf(to)];
  const isDay = (index: number): boolean => days.some((name) => name === weekdays[(index + 7) % 7]);
  if (begin < end) return isDay(day) && minute >= begin && minute < end;
  return (isDay(day) && minute >= begin) || (isDay(day - 1) && minute < end);
}

/** True for a zone that this machine knows. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== null;
  } catch {
    return false;
  }
}

function wallClock(now: Milliseconds, timeZone: string | null): { readonly day: number; readonly minute: number } {
  const format = new Intl.DateTimeFormat('en', {
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...(timeZone === null ? {} : { timeZone }),
  });
  const parts = new Map(format.formatToParts(now).map(({ type, value }) => [type, value]));
  const name = parts.get('weekday')?.toLowerCase();
  return {
    day: (weekdays as readonly string[]).indexOf(name ?? ''),
    minute: Number(parts.get('hour')) * 60 + Number(parts.get('minute')),
  };
}

function minuteOf(time: string): number {
  const [hour, minute] = time.split(':');
  return Number(hour) * 60 + Number(minute);
}
