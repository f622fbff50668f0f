import { type JsonValue, readSendOverride, sendModeOf, sendOverrideInForce, strictestSend } from '@varve/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const words = ['on', 'allow', 'off', 'deny', 'inherit', 'default', 'reset'] as const;

const mode = fc.constantFrom(...words, 'a word nobody knows');
const until = fc.option(fc.integer({ min: 0, max: 6 }));
const override = fc.record({ mode, until });
const said: fc.Arbitrary<JsonValue | undefined> = fc.oneof(override, mode, fc.constantFrom(null, undefined, 7, {}));

/** What a value decides at a moment, without a word of the product: `null` where rules do. */
function decides(value: JsonValue | undefined, now: number): 'allow' | 'deny' | null {
  return sendOverrideInForce(readSendOverride(value), now)?.mode === 'allow'
    ? 'allow'
    : sendOverrideInForce(readSendOverride(value), now) && 'deny';
}

describe('what two generations say of sending', () => {
  it('forbids at every later moment what either forbids, and allows no more than the first', () => {
    fc.assert(
      fc.property(said, said, fc.nat(6), (first, second, now) => {
        const together = strictestSend([first, second], now);
        for (let later = now; later <= 8; later += 1) {
          const both = [decides(first, later), decides(second, later)];
          const found = decides(together, later);
          expect(found === 'deny').toBe(both.includes('deny'));
          if (found === 'allow') expect(both[0]).toBe('allow');
        }
      }),
      { numRuns: 500 },
    );
  });

  it('is what the first says, word for word, where nothing is forbidden any more', () => {
    const over = { mode: 'deny', until: 5, at: 1 };
    expect(strictestSend([over, 'on'], 5)).toEqual(over);
    expect(strictestSend(['on', over], 5)).toBe('on');
    expect(strictestSend([undefined, 'on'], 5)).toBeNull();
    expect(strictestSend([over, 'off'], 9)).toBe('off');
    expect(strictestSend([{ ...over, until: 6 }, 'off', { ...over, until: 7 }], 5)).toBe('off');
  });

  it('is not decided without a time', () => {
    expect(() => strictestSend(['on', { mode: 'deny', until: 5 }], Number.NaN)).toThrow(RangeError);
  });
});

describe('a value of the setting send', () => {
  it.each(words.map((word) => [word]))('may be the word %s, or hold it', (word) => {
    const expected = { mode: sendModeOf(word), until: null, at: null };
    expect(readSendOverride(word)).toEqual(expected);
    expect(readSendOverride({ mode: word, until: 5, at: 1 })).toEqual({ ...expected, until: 5, at: 1 });
  });

  it.each([['never'], [7], [true], [[]], [{}], [{ mode: 'on', for: 'ever' }], [{ mode: 'on', until: '5' }]])(
    'denies for ever where it cannot be read: %j',
    (value) => {
      expect(readSendOverride(value)).toEqual({ mode: 'deny', until: null, at: null });
    },
  );
});
