import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { committedFigures, regressionCheck } from '../bench/measured/committed-result.ts';
import { readOptions } from '../bench/measured/read-options.ts';
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

test('a comparison with a result that is not committed is missed, and so is one with none of the figures', () => {
  const folder = mkdtempSync(join(tmpdir(), 'varve-bench-results-'));
  try {
    expect(committedFigures('storage', folder)).toBeNull();
    const without = { set: 'storage', committed: committedFigures('storage', folder) };
    expect(regressionCheck([more(50)], without)).toMatchObject({ isMet: false, figure: 'there is no such file' });
    writeFileSync(join(folder, 'storage.json'), JSON.stringify({ data: { figures: [less(2)] } }));
    const others = { set: 'storage', committed: committedFigures('storage', folder) };
    expect(regressionCheck([more(50)], others)).toMatchObject({ isMet: false, figure: 'none of them is in it' });
    expect(regressionCheck([more(50), less(2)], others)).toMatchObject({ isMet: true, figure: 'none of 1 is worse' });
    expect(regressionCheck([less(5)], others).isMet).toBe(false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('both sets take the same options, and --large only where there is something large', () => {
  const storage = { set: 'storage', ids: ['B1', 'B3'], large: 'a million entries' };
  const speed = { set: 'speed', ids: ['B7', 'B9'] };
  expect(readOptions(['--only', 'b3', '--large', '--quick'], storage)).toEqual({
    only: ['B3'],
    isQuick: true,
    isLarge: true,
    isChecked: false,
  });
  expect(readOptions(['--check'], speed)).toEqual({ only: null, isQuick: false, isLarge: false, isChecked: true });
  for (const wrong of [['--large'], ['--only', 'B3'], ['--quick', '--check'], ['--fast']]) {
    expect(() => readOptions(wrong, speed)).toThrow(/Usage: pnpm bench speed \[--only B7,B9\]/);
  }
});
