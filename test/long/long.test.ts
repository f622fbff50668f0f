import { describe, expect, it } from 'vitest';
import { corruptions } from './corruptions.ts';
import { addResults, formatFailure, formatTable, noTotals } from './long-table.ts';
import { judge } from './oracle/judge.ts';
import type { Observation } from './oracle/observation.ts';
import { playTranscript } from './play-transcript.ts';
import { runSeed } from './run-seed.ts';
import { planTranscript } from './transcript-plan.ts';

/** The whole run, `pnpm test:long`, takes 20 000 seeds from 1 on; here are some others. */
const seeds = Array.from({ length: 300 }, (_, index) => 1_000_001 + index);

describe('a transcript with random operations in between', () => {
  it('breaks no rule of the oracle', { timeout: 120_000 }, async () => {
    let totals = noTotals;
    for (const seed of seeds) totals = addResults(totals, [await runSeed(seed)]);
    console.log(formatTable(totals));
    expect(totals.failed.map(formatFailure).join('\n')).toBe('');
    expect(totals.results).toBe(seeds.length);
  });
});

describe('the oracle', () => {
  const played = new Map<number, Observation>();
  const play = async (seed: number): Promise<Observation> => {
    const known = played.get(seed) ?? (await playTranscript(planTranscript(seed))).observation;
    played.set(seed, known);
    return known;
  };

  it.each(corruptions)('finds it when $name', async ({ finds, corrupt }) => {
    let tried = 0;
    for (let seed = 1; seed <= 150 && tried < 3; seed += 1) {
      const seen = await play(seed);
      const corrupted = corrupt(seen);
      if (corrupted === null) continue;
      tried += 1;
      const rules = judge(corrupted).map(({ rule }) => rule);
      expect(rules, `seed ${seed}`).toContain(finds);
    }
    expect(tried).toBeGreaterThan(0);
  });

  it('has nothing against what was not corrupted', async () => {
    for (const seed of [1, 2, 3]) expect(judge(await play(seed))).toEqual([]);
  });
});
