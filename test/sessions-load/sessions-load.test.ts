import { describe, expect, it } from 'vitest';
import { corruptions } from './corruptions.ts';
import { checksOf } from './load-table.ts';
import { judgeLoad } from './oracle/judge-load.ts';
import { type LoadResult, runLoad } from './run-load.ts';

/** The whole run, `pnpm test:sessions-load`, has 10,000 conversations, 500 of them awake; this is another one. */
const options = {
  seed: 7,
  sessions: 120,
  maxLive: 12,
  operations: [240, 150],
  concurrency: 8,
  sampleEvery: 20,
} as const;

let running: Promise<LoadResult> | null = null;

/** Begun by the first test that asks, and shared by all. */
function load(): Promise<LoadResult> {
  running ??= runLoad(options);
  return running;
}

describe('many conversations, few of them awake, in a process that is killed', () => {
  it('are exact, apart from each other, and hold neither memory nor files', async () => {
    const result = await load();
    const faults = checksOf(result).flatMap(({ what, faults: found }) => found.map((fault) => `${what}: ${fault}`));
    expect(faults).toEqual([]);
    expect(result.judgement.messages).toBeGreaterThan(200);
    expect(result.judgement.journals).toBeGreaterThan(options.sessions);
  });
});

describe('the judge of such runs', () => {
  it.each(corruptions)('finds it when $name', async ({ finds, corrupt }) => {
    const { seen } = await load();
    const { root, ...known } = corrupt(seen);
    expect(judgeLoad(root, known).faults.map(({ rule }) => rule)).toContain(finds);
  });
});
