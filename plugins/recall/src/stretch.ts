import type { Milliseconds, Seq } from '@varve/core';

/** Something said without a long pause: its number, its block, how many passages it has, and until when it goes on. */
export interface Stretch {
  readonly number: number;
  readonly block: number;
  readonly passages: number;
  readonly until: Milliseconds;
}

/** The one before the first. */
export const noStretch: Stretch = { number: 0, block: 0, passages: 0, until: 0 };

/** Longest pause within a stretch of a conversation, and how many passages it has at most. */
const longestPauseMs: Milliseconds = 30 * 60_000;
const passagesPerStretch = 40;

/** With each so many entries a stretch begins anew: where stretches begin is known without what lies before. */
export const entriesPerBlock = 1_024;

/** The block of entries that one belongs to, from 0. */
export function blockOf(seq: Seq): number {
  return Math.floor((seq - 1) / entriesPerBlock);
}

/** The stretch that the next passage belongs to: the same one, or another after a pause, when it is full, or in the next block. */
export function stretchWith(before: Stretch, { seq, at }: { readonly seq: Seq; readonly at: Milliseconds }): Stretch {
  const block = blockOf(seq);
  const until = at + longestPauseMs;
  const goesOn = block === before.block && at <= before.until && before.passages < passagesPerStretch;
  return goesOn || before.passages === 0
    ? { ...before, block, passages: before.passages + 1, until }
    : { number: before.number + 1, block, passages: 1, until };
}
