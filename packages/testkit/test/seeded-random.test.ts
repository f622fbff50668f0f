import { seededRandom } from '@varve/testkit';
import { expect, test } from 'vitest';

test('picks each value about as often as the others, one that is null too', () => {
  const random = seededRandom(5);
  const picks = Array.from({ length: 3_000 }, () => random.pick([null, undefined, 1] as const));
  for (const value of [null, undefined, 1]) {
    expect(picks.filter((pick) => pick === value).length).toBeGreaterThan(900);
  }
});
