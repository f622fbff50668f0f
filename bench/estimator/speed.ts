import { estimateTokens } from '@varve/core';
import { estimateTokenCount } from 'tokenx';
import { exactTokens } from './error-table.ts';
import type { TextKind } from './text-kinds.ts';

/** Speed of one counter, in millions of characters a second, over the rounds. */
export interface SpeedRow {
  readonly counter: string;
  readonly least: number;
  readonly median: number;
  readonly most: number;
}

/** What reading every unit of a string costs: no estimator can be faster. */
function bareLoop(text: string): number {
  let sum = 0;
  for (let index = 0; index < text.length; index++) sum += text.charCodeAt(index);
  return sum;
}

const counters: readonly (readonly [counter: string, count: (text: string) => number])[] = [
  ['a bare loop over the characters', bareLoop],
  ['varve', estimateTokens],
  ['tokenx', estimateTokenCount],
  ['gpt-tokenizer (exact)', exactTokens],
];

/** Runs the counters in turn over the same texts, so that what else the machine does meets all of them. */
export function measureSpeed(kinds: readonly TextKind[], rounds: number): readonly SpeedRow[] {
  const texts = kinds.map(({ text }) => text.slice(0, 20_000));
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  const speeds = counters.map((): number[] => []);
  let sink = 0;
  for (let round = 0; round < rounds + 2; round++) {
    for (const [index, [, count]] of counters.entries()) {
      const passes = index < 2 ? 20 : 1;
      const startedAt = performance.now();
      for (let pass = 0; pass < passes; pass++) for (const text of texts) sink += count(text);
      const seconds = (performance.now() - startedAt) / 1_000;
      // The first rounds warm up compilers and caches.
      if (round >= 2) speeds[index]?.push((characters * passes) / seconds / 1e6);
    }
  }
  if (Number.isNaN(sink)) throw new Error('A counter gave no number.');
  return counters.map(([counter], index) => {
    const sorted = (speeds[index] ?? []).sort((left, right) => left - right);
    return { counter, least: sorted[0] ?? 0, median: sorted[sorted.length >> 1] ?? 0, most: sorted.at(-1) ?? 0 };
  });
}
