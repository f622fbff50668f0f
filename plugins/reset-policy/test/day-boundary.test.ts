import { VarveError } from '@varve/core';
import { lastBoundary, nextBoundary } from '@varve/plugin-reset-policy';
import { afterAll, describe, expect, it } from 'vitest';
import { zoneOracle } from './boundary-oracle.ts';

const zones = ['Asia/Shanghai', 'America/New_York', 'Europe/London', 'Australia/Lord_Howe', 'America/Sao_Paulo'];
const spans = [
  { years: '2018–2019', from: Date.UTC(2018, 0, 1), to: Date.UTC(2020, 0, 1) },
  { years: '2026–2027', from: Date.UTC(2026, 0, 1), to: Date.UTC(2028, 0, 1) },
];
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const hours = Array.from({ length: 24 }, (_, hour) => hour);
const counts: string[] = [];

// `VARVE_PRINT=1 pnpm vitest run plugins/reset-policy/test/day-boundary.test.ts` prints what was compared.
afterAll(() => {
  if (Object.entries(process.env).some(([name, value]) => name === 'VARVE_PRINT' && value === '1'))
    console.log(counts.join('\n'));
});

describe.each(zones)('in %s, days end when an oracle without a calendar library says so', (timeZone) => {
  it.each(spans)('for every hour of $years', ({ years, from, to }) => {
    const oracle = zoneOracle(timeZone, { from: from - 3 * dayMs, to: to + 3 * dayMs });
    const ends = hours.map((atHour) => oracle.boundaries(atHour));
    const wrong: string[] = [];
    let compared = 0;
    const compare = (at: number, atHour: number) => {
      const expected = around(ends[atHour] ?? [], at);
      const found = { last: lastBoundary(at, { atHour, timeZone }), next: nextBoundary(at, { atHour, timeZone }) };
      compared += 1;
      if (found.last !== expected.last || found.next !== expected.next)
        wrong.push(`${new Date(at).toISOString()}, hour ${atHour}: ${JSON.stringify({ expected, found })}`);
    };
    for (let at = from; at < to; at += hourMs) {
      // Each hour of the clock meets each hour of a reset: 25 is prime to 24, so they go through all pairs.
      compare(at, (at / hourMs + Math.floor(at / dayMs)) % 24);
    }
    const changes = oracle.changes.filter((at) => at >= from && at < to);
    for (const change of changes)
      for (let at = change - 30 * hourMs; at <= change + 30 * hourMs; at += hourMs)
        for (const atHour of hours) compare(at, atHour);
    for (const atHour of hours)
      for (const change of changes)
        for (const end of (ends[atHour] ?? []).filter((one) => Math.abs(one - change) < 2 * dayMs))
          for (const at of [end - 1, end, end + 1]) compare(at, atHour);
    counts.push(
      `${timeZone} ${years}: ${compared} moments, ${changes.length} changes of the clock, ${wrong.length} wrong`,
    );
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(compared).toBeGreaterThanOrEqual((to - from) / hourMs);
  });
});

describe('the end of a day', () => {
  const at = (iso: string) => Date.parse(iso);

  it('R-21: is the hour before a night whose hour 2 is skipped', () => {
    const now = at('2026-03-08T01:30:00-05:00');
    expect(lastBoundary(now, { atHour: 2, timeZone: 'America/New_York' })).toBe(at('2026-03-07T02:00:00-05:00'));
    expect(lastBoundary(now, { atHour: 2, timeZone: 'Asia/Shanghai' })).toBe(at('2026-03-08T02:00:00+08:00'));
  });

  it.each([
    ['right after a skipped hour', 'America/New_York', 2, '2026-03-08T00:00:00-05:00', '2026-03-08T03:00:00-04:00'],
    [
      'right after half a skipped hour',
      'Australia/Lord_Howe',
      2,
      '2026-10-04T00:00:00+10:30',
      '2026-10-04T02:30:00+11:00',
    ],
    [
      'right after a skipped midnight',
      'America/Sao_Paulo',
      0,
      '2018-11-03T12:00:00-03:00',
      '2018-11-04T01:00:00-02:00',
    ],
    ['at the first of two hours', 'America/New_York', 1, '2026-11-01T00:00:00-04:00', '2026-11-01T01:00:00-04:00'],
    [
      'once where a date is skipped from midnight on',
      'Pacific/Enderbury',
      0,
      '1994-12-30T12:00:00-11:00',
      '1995-01-01T00:00:00+13:00',
    ],
    ['once where a whole date is skipped', 'Pacific/Apia', 4, '2011-12-29T04:00:00-10:00', '2011-12-31T04:00:00+14:00'],
    [
      'at the end of a gap that begins before the hour',
      'America/St_Johns',
      1,
      '2010-03-14T00:00:00-03:30',
      '2010-03-14T01:01:00-02:30',
    ],
    ['at a midnight that comes twice', 'America/St_Johns', 0, '2010-11-06T12:00:00-02:30', '2010-11-07T00:00:00-02:30'],
  ])('comes %s (%s, hour %i)', (_what, timeZone, atHour, before, expected) => {
    expect(new Date(nextBoundary(at(before), { atHour, timeZone })).toISOString()).toBe(
      new Date(expected).toISOString(),
    );
    expect(lastBoundary(at(expected), { atHour, timeZone })).toBe(at(expected));
  });

  it('belongs to a clock that is behind midnight again', () => {
    const options = { atHour: 0, timeZone: 'America/St_Johns' };
    const secondEve = at('2010-11-06T23:30:00-03:30');
    expect(lastBoundary(secondEve, options)).toBe(at('2010-11-07T00:00:00-02:30'));
    expect(nextBoundary(secondEve, options)).toBe(at('2010-11-08T00:00:00-03:30'));
  });

  it.each([
    [0, { atHour: 24 }, 'hour 24 is hour 0'],
    [0, { atHour: 1.5 }, 'whole number'],
    [0, { atHour: 4, timeZone: 'Asia/Shangai' }, 'name of a zone'],
    [0, { atHour: 4, timeZone: '+08:00' }, 'name of a zone'],
    [Number.NaN, { atHour: 4 }, 'milliseconds'],
    [8.64e15, { atHour: 4 }, 'milliseconds'],
  ])('is refused for %d with %j, with what to do', (now, options, fix) => {
    for (const boundary of [lastBoundary, nextBoundary]) {
      const error = caught(() => boundary(now, options));
      expect(VarveError.is(error, 'VARVE_OPTION_INVALID') && error.fix).toContain(fix);
    }
  });

  it("is the machine's own where no zone is given", () => {
    const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
    const now = at('2026-07-01T12:34:56Z');
    expect(lastBoundary(now, { atHour: 4 })).toBe(lastBoundary(now, { atHour: 4, timeZone }));
  });
});

/** The last of the moments up to `at`, and the first one after it. */
function around(moments: readonly number[], at: number): { last: number | undefined; next: number | undefined } {
  let low = 0;
  let high = moments.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((moments[middle] ?? 0) > at) high = middle;
    else low = middle + 1;
  }
  return { last: moments[low - 1], next: moments[low] };
}

function caught(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}
