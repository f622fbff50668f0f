import { type Milliseconds, VarveError } from '@varve/core';
import { Temporal } from 'temporal-polyfill';
import { looksLikeTimeZone, unknownZoneText } from './time-zone.ts';

/** When a day ends. */
export interface BoundaryOptions {
  /** Hour of the day, 0 to 23. */
  readonly atHour: number;
  /** Name of a time zone, such as `Asia/Shanghai`. @default the machine's own */
  readonly timeZone?: string | null | undefined;
}

/**
 * The last moment up to and including `at` at which a day ended. Where clocks are put forward over the hour, the day ends
 * right after the gap; where the hour comes twice, it ends the first time.
 *
 * @throws VARVE_OPTION_INVALID  for an hour, a zone or a moment that does not exist.
 */
export function lastBoundary(at: Milliseconds, options: BoundaryOptions): Milliseconds {
  const rule = ruleOf(at, options);
  // One day ahead: where clocks are put back over midnight, the next day's hour 0 has come before its eve ends.
  for (let days = 1; ; days -= 1) {
    const boundary = boundaryNear(rule, days);
    if (boundary <= at) return boundary;
  }
}

/**
 * The first moment after `at` at which a day ends; see {@link lastBoundary}.
 *
 * @throws VARVE_OPTION_INVALID  for an hour, a zone or a moment that does not exist.
 */
export function nextBoundary(at: Milliseconds, options: BoundaryOptions): Milliseconds {
  const rule = ruleOf(at, options);
  for (let days = 0; ; days += 1) {
    const boundary = boundaryNear(rule, days);
    if (boundary > at) return boundary;
  }
}

interface BoundaryRule {
  readonly date: Temporal.PlainDate;
  readonly time: Temporal.PlainTime;
  readonly zone: string;
}

/** Moments closer than this to the ends of the calendar have no day beside them. */
const lastMoment = 8.64e15 - 8 * 86_400_000;

function ruleOf(at: Milliseconds, { atHour, timeZone = null }: BoundaryOptions): BoundaryRule {
  if (!Number.isInteger(atHour) || atHour < 0 || atHour > 23)
    throw invalid(`A day cannot end at hour ${atHour}.`, 'Give a whole number from 0 to 23; hour 24 is hour 0.');
  if (!(Math.abs(at) <= lastMoment)) throw invalid(`${at} is no moment.`, 'Give milliseconds since 1970.');
  const zone = timeZone ?? Temporal.Now.timeZoneId();
  const date = dateIn(zone, Temporal.Instant.fromEpochMilliseconds(Math.floor(at)));
  return { date, time: new Temporal.PlainTime(atHour), zone };
}

function dateIn(zone: string, instant: Temporal.Instant): Temporal.PlainDate {
  try {
    if (looksLikeTimeZone(zone)) return instant.toZonedDateTimeISO(zone).toPlainDate();
  } catch {
    // Said below, as for what does not even look like a zone.
  }
  throw invalid(unknownZoneText(zone), 'Give the name of a zone, or null for the one of this machine.');
}

/** When the day ends that lies so many days behind the rule's. */
function boundaryNear({ date, time, zone }: BoundaryRule, days: number): Milliseconds {
  const day = date.add({ days });
  const boundary = day.toZonedDateTime({ timeZone: zone, plainTime: time });
  if (boundary.toPlainTime().equals(time)) return boundary.epochMilliseconds;
  // The hour is skipped, and what stands here lies as far behind it as the gap is long: not always at the gap's end.
  const afterGap = boundary.add({ milliseconds: 1 }).getTimeZoneTransition('previous');
  return (afterGap ?? boundary).epochMilliseconds;
}

function invalid(message: string, fix: string): VarveError {
  return new VarveError('VARVE_OPTION_INVALID', message, { fix });
}
