import {
  conversationTypeOf,
  isStale,
  lastBoundary,
  previewReset,
  type ResetPolicy,
  type ResetPolicyOptions,
  type ResetRecord,
  resolvePolicy,
} from '@varve/plugin-reset-policy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inboundWith } from './conversation.ts';

const minute = 60_000;
const hour = 60 * minute;
const at = (iso: string) => Date.parse(iso);

const daily: ResetPolicy = { mode: 'daily', atHour: 4, timeZone: 'Asia/Shanghai', idleMinutes: null, combine: 'any' };
const idle: ResetPolicy = { ...daily, mode: 'idle', idleMinutes: 60 };

function recordOf(createdAt: number, lastUserAt: number | null = null, currentSince?: number): ResetRecord {
  return { createdAt, currentSince, counters: { lastUserAt } };
}

describe('a policy', () => {
  const options: ResetPolicyOptions = {
    mode: 'daily',
    atHour: 5,
    timeZone: 'Asia/Tokyo',
    idleMinutes: 120,
    combine: 'all',
    resetByType: {
      dm: { mode: 'idle', idleMinutes: 240 },
      group: { mode: 'idle' },
      thread: { idleMinutes: null, atHour: 0 },
    },
    resetByChannel: { discord: { mode: 'idle', idleMinutes: 10_080 }, slack: {}, irc: { timeZone: 'UTC' } },
  };
  const whole = { mode: 'daily', atHour: 5, timeZone: 'Asia/Tokyo', idleMinutes: 120, combine: 'all' };
  const alone = { mode: 'daily', atHour: 4, timeZone: 'Asia/Tokyo', idleMinutes: null, combine: 'any' };

  it.each([
    ['of a type lies over the base', 'group', 'telegram', { ...whole, mode: 'idle' }],
    ['of direct chats is also written dm', 'direct', 'telegram', { ...whole, mode: 'idle', idleMinutes: 240 }],
    ['of direct chats is also asked for as dm', 'dm', null, { ...whole, mode: 'idle', idleMinutes: 240 }],
    ['of a type can take something back', 'thread', null, { ...whole, idleMinutes: null, atHour: 0 }],
    ['of a channel wins over the type', 'direct', 'discord', { ...alone, mode: 'idle', idleMinutes: 10_080 }],
    ['of a channel replaces the whole base but its zone', 'thread', 'slack', alone],
    ['of a channel holds whatever the case of its name', 'group', 'IRC', { ...alone, timeZone: 'UTC' }],
    ['of a channel may have another zone', 'group', 'irc', { ...alone, timeZone: 'UTC' }],
    ['of a channel is not what every object has', 'thread', 'constructor', { ...whole, idleMinutes: null, atHour: 0 }],
  ] as const)('%s', (_what, type, channel, expected) => {
    expect(resolvePolicy(options, { type, channel })).toEqual(expected);
  });

  it('is daily at 4 where nothing is said, and 60 minutes for idle', () => {
    const about = { type: 'direct', channel: null } as const;
    expect(resolvePolicy({}, about)).toEqual({ ...alone, timeZone: null });
    expect(resolvePolicy({ mode: 'idle' }, about).idleMinutes).toBe(60);
  });
});

describe('the type of a conversation', () => {
  it.each([
    ['agent:main:main', 'direct'],
    ['agent:main:direct:anna', 'direct'],
    ['agent:main:telegram:direct:group', 'direct'],
    ['agent:main:telegram:group:-100', 'group'],
    ['agent:main:slack:channel:C1', 'group'],
    ['agent:main:telegram:group:-100:topic:7', 'thread'],
    ['agent:main:slack:channel:C1:thread:17.5', 'thread'],
    ['agent:main:cron:report', null],
    ['agent:main:cron:report:run:1', null],
    ['agent:main:hook:1', null],
    ['agent:main:subagent:1', null],
    ['global', 'direct'],
  ])('of %s is %s', (key, expected) => {
    const chatType = /group|channel/.test(key) && !key.includes('direct') ? 'group' : null;
    expect(conversationTypeOf({ key, chatType }, null)).toBe(expected);
  });

  it('is the one of the message where the record has no key', () => {
    const unnamed = { key: null, chatType: null };
    expect(conversationTypeOf(unnamed, inboundWith())).toBe('direct');
    expect(conversationTypeOf(unnamed, inboundWith({ chatType: 'channel' }))).toBe('group');
    const thread = { kind: 'thread', id: '1' } as const;
    expect(conversationTypeOf(unnamed, inboundWith({ chatType: 'group', thread }))).toBe('thread');
  });

  it('does not change with a message from a thread that has no conversation of its own', () => {
    const inbound = inboundWith({ thread: { kind: 'thread', id: '1' } });
    expect(conversationTypeOf({ key: 'agent:main:direct:anna', chatType: 'direct' }, inbound)).toBe('direct');
  });
});

describe('a conversation', () => {
  const fourAm = at('2026-03-08T04:00:00+08:00');

  it.each([
    ['goes on when it began at the very end of a day', daily, recordOf(fourAm), fourAm + 23 * hour, false],
    ['ends when it began before the last end of a day', daily, recordOf(fourAm - 1), fourAm, true],
    ['goes on until the day ends', daily, recordOf(fourAm - 1), fourAm - 1, false],
    ['ends with the day however busy it is', daily, recordOf(fourAm - hour, fourAm - 1), fourAm, true],
    ['goes on after exactly the idle time', idle, recordOf(0, hour), 2 * hour, false],
    ['ends a moment later', idle, recordOf(0, hour), 2 * hour + 1, true],
    ['is idle from its beginning where nobody wrote', idle, recordOf(0), hour + 1, true],
    ['never ends in mode none', { ...idle, mode: 'none' }, recordOf(0), fourAm, false],
    [
      'ends by the hour or by idle time',
      { ...daily, idleMinutes: 60 },
      recordOf(fourAm, fourAm),
      fourAm + hour + 1,
      true,
    ],
    [
      'goes on over the hour while somebody writes, where both are needed',
      { ...daily, idleMinutes: 60, combine: 'all' },
      recordOf(fourAm - 9 * hour, fourAm - minute),
      fourAm + minute,
      false,
    ],
    [
      'ends where both are so',
      { ...daily, idleMinutes: 60, combine: 'all' },
      recordOf(fourAm - 9 * hour, fourAm - minute),
      fourAm + hour,
      true,
    ],
    ['that was restored goes on', daily, recordOf(0, 1, fourAm + 1), fourAm + hour, false],
    ['that was restored is not idle', idle, recordOf(0, 1, fourAm + 1), fourAm + hour, false],
  ] as const)('%s', (_what, policy, record, now, expected) => {
    expect(isStale(record, { policy, now })).toBe(expected);
  });

  const anyPolicy = fc.record<ResetPolicy>({
    mode: fc.constantFrom('daily', 'idle', 'none'),
    atHour: fc.integer({ min: 0, max: 23 }),
    timeZone: fc.constantFrom('America/New_York', 'Australia/Lord_Howe', 'Asia/Shanghai', 'America/Sao_Paulo'),
    idleMinutes: fc.integer({ min: 1, max: 3_000 }),
    combine: fc.constantFrom('any', 'all'),
  });
  const from = at('2018-01-01T00:00:00Z');
  const moment = fc.integer({ min: from, max: from + 700 * 24 * hour });
  const span = fc.integer({ min: 0, max: 72 * 60 }).map((minutes) => minutes * minute);

  it('ends exactly when the preview says', () => {
    const law = fc.property(anyPolicy, moment, span, (policy, createdAt, later) => {
      const record = recordOf(createdAt, createdAt + later);
      const preview = previewReset(record, { policy, now: createdAt });
      expect(preview === null).toBe(policy.mode === 'none');
      if (preview === null) return;
      expect(isStale(record, { policy, now: preview.at })).toBe(true);
      expect(isStale(record, { policy, now: preview.at - 1 })).toBe(false);
      expect(preview.inMs).toBe(Math.max(0, preview.at - createdAt));
    });
    fc.assert(law, { numRuns: 400 });
  });

  it('R-32: is never stale because a clock was put back, and a new one begins at most once a step forward', () => {
    const jumps = fc.array(fc.integer({ min: -30 * hour, max: 30 * hour }), { minLength: 1, maxLength: 30 });
    const law = fc.property(anyPolicy, moment, jumps, (policy, start, steps) => {
      let now = start;
      let record = recordOf(start, start);
      for (const step of steps) {
        now += step;
        const isOver = isStale(record, { policy, now });
        if (step <= 0) expect(isOver).toBe(false);
        record = isOver ? recordOf(now, now) : recordOf(record.createdAt, now);
        expect(isStale(record, { policy, now })).toBe(false);
        expect(previewReset(record, { policy, now })?.inMs ?? 0).toBeGreaterThanOrEqual(0);
      }
    });
    fc.assert(law, { numRuns: 300 });
  });

  it('is over once when a clock that stood decades ahead is right again', () => {
    const now = Date.UTC(2026, 10, 30, 12);
    const ahead = now + 30 * 366 * 24 * hour;
    const policy = resolvePolicy({ atHour: 4, timeZone: 'UTC' }, { type: 'direct', channel: null });
    expect(isStale(recordOf(ahead, ahead), { policy, now })).toBe(true);
    expect(previewReset(recordOf(ahead, ahead), { policy, now })?.text).toBe('resets with the next message');
    expect(isStale(recordOf(1e300, 1e300), { policy, now })).toBe(true);
    expect(isStale(recordOf(now, now), { policy, now })).toBe(false);
  });

  it('of the present day began no earlier than the last end of a day', () => {
    const law = fc.property(anyPolicy, moment, span, (policy, createdAt, later) => {
      const now = createdAt + later;
      const isOfToday = createdAt >= lastBoundary(now, policy);
      expect(isStale(recordOf(createdAt), { policy: { ...policy, mode: 'daily', idleMinutes: null }, now })).toBe(
        !isOfToday,
      );
    });
    fc.assert(law, { numRuns: 300 });
  });
});

describe('the preview', () => {
  it.each([
    [12 * minute, 'resets in 12 min'],
    [11 * minute + 1, 'resets in 12 min'],
    [minute, 'resets in 1 min'],
    [minute - 1, 'resets in less than a minute'],
    [hour, 'resets in 1 h'],
    [3 * hour + 5 * minute, 'resets in 3 h 5 min'],
    [47 * hour + 59 * minute, 'resets in 2 d'],
    [50 * hour, 'resets in 2 d 2 h'],
    [0, 'resets in less than a minute'],
    [-1, 'resets with the next message'],
    [-hour, 'resets with the next message'],
  ])('%d ms before the idle time is over says "%s"', (before, text) => {
    const policy = { ...idle, idleMinutes: 60 * 60 };
    const now = 60 * hour - before;
    expect(previewReset(recordOf(0), { policy, now })?.text).toBe(text);
  });

  it('names the moment and the reason', () => {
    const now = at('2026-03-08T03:48:00+08:00');
    const policy: ResetPolicy = { ...daily, idleMinutes: 240 };
    const record = recordOf(now - hour, now);
    const expected = { at: now + 12 * minute, inMs: 12 * minute, reason: 'daily', text: 'resets in 12 min' };
    expect(previewReset(record, { policy, now })).toEqual(expected);
    expect(previewReset(record, { policy: { ...policy, combine: 'all' }, now })?.reason).toBe('idle');
  });
});
