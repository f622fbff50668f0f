import type { AssistantMessage } from '@varve/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Corruption, corruptions } from './corruptions.ts';
import { factorCorruptions } from './factor-corruptions.ts';
import { type Factors, factorsOf, faultNames, providerNames, strategyNames } from './factors.ts';
import { addResults, coveredFrom, formatFailure, formatTable, noTotals, shortcomings } from './long-table.ts';
import { noteCorruptions } from './note-corruptions.ts';
import type { Observation, Violation } from './oracle/observation.ts';
import { crossTables, rarePairs } from './pair-coverage.ts';
import { playTranscript } from './play-transcript.ts';
import { judgeAll, runSeed } from './run-seed.ts';
import { planTranscript } from './transcript-plan.ts';

/** The whole run, `pnpm test:long`, takes 10 000 seeds from 1 on; here are some others. */
const seeds = Array.from({ length: 300 }, (_, index) => 1_000_001 + index);

describe('a transcript with random operations in between', () => {
  it('breaks no rule of the oracle, and none of the provider that was drawn', async () => {
    let totals = noTotals;
    for (const seed of seeds) totals = addResults(totals, [await runSeed(seed)]);
    console.log(formatTable(totals));
    expect(totals.failed.map(formatFailure).join('\n')).toBe('');
    expect(totals.results).toBe(seeds.length);
    expect(shortcomings(totals)).toEqual([]);
    const { drawn } = totals;
    expect(new Set(drawn.map(({ provider }) => provider))).toEqual(new Set(providerNames));
    expect(new Set(drawn.map(({ strategy }) => strategy))).toEqual(new Set(strategyNames));
    expect(new Set(drawn.map(({ fault }) => fault))).toEqual(new Set(faultNames));
    expect(new Set(drawn.filter(({ fired }) => fired).map(({ fault }) => fault))).toEqual(new Set(faultNames));
  });
});

describe('the draw of factors', () => {
  it('has each pair of values a hundred times in any 10 000 seeds in a row', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 40 }), (first) => {
        const drawn = Array.from({ length: coveredFrom }, (_, index) => factorsOf(first + index));
        expect(rarePairs(crossTables(drawn), { least: 100 })).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });

  it('is found wanting when a pair comes too seldom, or a fault does not come about', () => {
    const factors: Factors = { provider: 'gemini', strategy: 'prose', fault: 'never' };
    const result = { seed: 1, factors, violations: [], prefix: [], features: [], counts: {}, fired: false };
    const totals = addResults(
      noTotals,
      Array.from({ length: coveredFrom }, () => result),
    );
    expect(shortcomings(totals)).toContain('anthropic × pruning: 0 times, not 100');
    expect(shortcomings(totals)).toContain(`never came about 0 times of ${coveredFrom}`);
  });
});

const played = new Map<number, Observation>();

async function play(seed: number): Promise<Observation> {
  const known = played.get(seed) ?? (await playTranscript(planTranscript(seed))).observation;
  played.set(seed, known);
  return known;
}

/** Rules that are broken in up to three transcripts in which something was corrupted. */
async function rulesBroken({ corrupt, drawn = {} }: Corruption): Promise<readonly Violation['rule'][][]> {
  const broken: Violation['rule'][][] = [];
  for (const seed of seedsWith(drawn).slice(0, 150)) {
    const corrupted = corrupt(await play(seed));
    if (corrupted !== null) broken.push(judgeAll(corrupted).map(({ rule }) => rule));
    if (broken.length === 3) break;
  }
  return broken;
}

/** Seeds that were drawn with these factors, the first ones. */
function seedsWith(drawn: Partial<Factors>): readonly number[] {
  const wanted = Object.values(drawn);
  const all = Array.from({ length: 2_000 }, (_, index) => index + 1);
  return all.filter((seed) => {
    const factors: readonly string[] = Object.values(factorsOf(seed));
    return wanted.every((value) => factors.includes(value));
  });
}

describe('the oracle', () => {
  it.each([...corruptions, ...noteCorruptions])('finds it when $name', async (corruption) => {
    const broken = await rulesBroken(corruption);
    expect(broken.length).toBeGreaterThan(0);
    for (const rules of broken) expect(rules).toContain(corruption.finds);
  });

  it.each(factorCorruptions)('finds it by bodies and answers alone when $name', async (corruption) => {
    const broken = await rulesBroken(corruption);
    expect(broken.length).toBeGreaterThan(0);
    for (const rules of broken) {
      expect(rules).toContain(corruption.finds);
      expect(rules.filter((rule) => !['provider', 'body', 'prose'].includes(rule))).toEqual([]);
    }
  });

  it('has nothing against what was not corrupted', async () => {
    for (const seed of [1, 2, 3]) expect(judgeAll(await play(seed))).toEqual([]);
  });
});

/** What a summariser's answer could lose on its way, so that it passes for a good one. */
const losses: readonly {
  readonly name: string;
  readonly fault: Factors['fault'];
  tamper(message: AssistantMessage): AssistantMessage;
}[] = [
  {
    name: 'the reason why an answer ended',
    fault: 'cut-by-length',
    tamper: (message) => ({ ...message, stop: 'stop' }),
  },
  {
    name: 'the refusal of an answer',
    fault: 'refusal',
    tamper: (message) => ({ ...message, stop: 'stop' }),
  },
];

describe('a product that loses something', () => {
  it.each(losses)('is found when it loses $name', async ({ fault, tamper }) => {
    const found = new Set<Violation['rule']>();
    for (const seed of seedsWith({ fault, strategy: 'prose' }).slice(0, 8)) {
      const { observation } = await playTranscript(planTranscript(seed), { tamper });
      for (const { rule } of judgeAll(observation)) found.add(rule);
    }
    expect([...found]).toEqual(['prose']);
  });
});
