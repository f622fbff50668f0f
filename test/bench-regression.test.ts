import { expect, test } from 'vitest';
import { type RatioFigure, regressionsOf } from '../bench/regression.ts';

// What `pnpm bench speed --check` and `pnpm bench storage --check` go by.

const more = (ratio: number, must?: number): RatioFigure => ({ id: 'B7 peer', ratio, better: 'more', must });
const less = (ratio: number, must?: number): RatioFigure => ({ id: 'B7 limit', ratio, better: 'less', must });

test.each([
  ['a peer that is left behind half as far as before', more(50), more(100)],
  ['a peer that is left behind as far as it must be', more(60, 60), more(100, 60)],
  ['a limit that is missed twice as far as before', less(4), less(2)],
  ['a must that was missed before, too', less(4, 1), less(3, 1)],
  ['what was not measured before', more(1), less(1)],
])('%s is no regression', (_, now, before) => {
  expect(regressionsOf([now], [before])).toEqual([]);
});

test.each([
  [
    'a peer that is left behind less than half as far as before',
    more(49),
    more(100),
    'B7 peer: 49.0 ×, and it was 100 ×: not half as good',
  ],
  [
    'a peer that is no longer left behind as far as it must be',
    more(59, 60),
    more(100, 60),
    'B7 peer: 59.0 ×, and it must be 60 ×',
  ],
  [
    'a limit that is missed more than twice as far as before',
    less(4.1),
    less(2),
    'B7 limit: 4.10 ×, and it was 2.00 ×: not half as good',
  ],
  ['a limit that is newly missed', less(1.6, 1.5), less(1, 1.5), 'B7 limit: 1.60 ×, and it must be 1.5 ×'],
  [
    'a must that was missed, and by twice as much now',
    less(7, 1),
    less(3, 1),
    'B7 limit: 7.00 ×, and it was 3.00 ×: not half as good',
  ],
])('%s is a regression', (_, now, before, sentence) => {
  expect(regressionsOf([now], [before])).toEqual([sentence]);
});
