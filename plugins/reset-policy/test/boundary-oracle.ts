/** A stretch of time in which clocks are the same number of minutes ahead of UTC. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly offsetMs: number;
}

const minute = 60_000;
const day = 24 * 60 * minute;

/** Offset of a zone at a moment, read off a clock that `Intl` shows. */
function offsetReader(timeZone: string): (at: number) => number {
  const clock = new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (at) => {
    const parts = new Map(clock.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? Number.NaN;
    const shown = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
    return shown - at;
  };
}

/** The stretches of a zone between two moments, found minute by minute where the offset of two days differs. */
function stretchesOf(timeZone: string, from: number, to: number): readonly Stretch[] {
  const offsetAt = offsetReader(timeZone);
  const stretches: Stretch[] = [];
  let begin = from;
  for (let at = from; at < to; at += day) {
    if (offsetAt(at) === offsetAt(at + day)) continue;
    let change = at;
    while (offsetAt(change) === offsetAt(at)) change += minute;
    stretches.push({ from: begin, to: change, offsetMs: offsetAt(begin) });
    begin = change;
  }
  return [...stretches, { from: begin, to, offsetMs: offsetAt(begin) }];
}

/** What the oracle knows of a zone. */
export interface ZoneOracle {
  /** When clocks are put forward or back. */
  readonly changes: readonly number[];
  /** Every end of a day between two moments, in order: the first moment of a date at which its clock shows the hour or more. */
  boundaries(atHour: number): readonly number[];
}

/**
 * Finds the ends of days without a calendar library: for each date, the earliest moment of it whose clock time is not
 * before the hour, found by looking at each stretch of one offset.
 */
export function zoneOracle(timeZone: string, { from, to }: { readonly from: number; readonly to: number }): ZoneOracle {
  const stretches = stretchesOf(timeZone, from, to);
  return {
    changes: stretches.slice(1).map((stretch) => stretch.from),
    boundaries: (atHour) => {
      const earliest = new Map<number, number>();
      for (const { from: begin, to: end, offsetMs } of stretches) {
        for (let date = Math.floor((begin + offsetMs) / day) * day; date < end + offsetMs; date += day) {
          const at = Math.max(date + atHour * 60 * minute - offsetMs, begin);
          const isOfDate = at < end && at + offsetMs < date + day;
          if (isOfDate) earliest.set(date, Math.min(at, earliest.get(date) ?? at));
        }
      }
      return [...earliest.values()].sort((a, b) => a - b);
    },
  };
}
