import { manualClock } from '@varve/testkit';
import { expect, it } from 'vitest';

it('runs what falls due in order, once, and nothing that was cancelled', () => {
  const clock = manualClock(1_000);
  const ran: string[] = [];
  clock.after(20, () => ran.push('b'));
  clock.after(10, () => ran.push('a'));
  clock.after(15, () => ran.push('never'))();
  clock.advance(9);
  expect(ran).toEqual([]);
  clock.advance(11);
  clock.advance(100);
  expect(ran).toEqual(['a', 'b']);
  expect(clock.now()).toBe(1_120);
});
