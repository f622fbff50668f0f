import { describe, expect, it } from 'vitest';
import { buildWorker } from './build-worker.ts';
import { corruptions } from './corruptions.ts';
import { countResults, formatFaults } from './crash-table.ts';
import { judge } from './oracle/judge.ts';
import { type LifeResult, type RoundResult, runLife } from './run-life.ts';

/** The whole run, `pnpm test:crash`, has 200 rounds, with seeds from 1 on; this is another one. */
const options = { seed: 1_000_001, rounds: 10, flips: 20 };

let running: Promise<LifeResult> | null = null;

/** Begun by the first test that asks, and shared by all. */
function life(): Promise<LifeResult> {
  running ??= run();
  return running;
}

async function run(): Promise<LifeResult> {
  const worker = await buildWorker();
  try {
    return await runLife({ ...options, worker: worker.file });
  } finally {
    worker.remove();
  }
}

/** The round in which most was acknowledged. */
async function fullestRound(): Promise<RoundResult> {
  const { rounds } = await life();
  return rounds.reduce((fullest, round) => (round.acknowledged > fullest.acknowledged ? round : fullest));
}

describe('a store whose processes are killed', () => {
  it('keeps what was acknowledged, and runs no tool twice', async () => {
    const lived = await life();
    expect(formatFaults(lived)).toBe('');
    expect(countResults([lived])).toEqual({ passed: options.rounds + options.flips, failed: 0 });
    expect(lived.toolRuns).toBeGreaterThan(0);
    expect((await fullestRound()).acknowledged).toBeGreaterThan(20);
  });
});

describe('the judge of crashes', () => {
  it.each(corruptions)('finds it when $name', async ({ finds, corrupt }) => {
    const { seen } = await fullestRound();
    const { known, evidence } = corrupt(seen);
    const rules = judge(known, evidence).faults.map(({ rule }) => rule);
    expect(rules).toContain(finds);
  });

  it('has nothing against what was not corrupted', async () => {
    const { known, evidence } = (await fullestRound()).seen;
    expect(judge(known, evidence).faults).toEqual([]);
  });
});
