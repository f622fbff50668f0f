import { describe, expect, it } from 'vitest';
import { checksOf } from './large-table.ts';
import { type LargeResult, runLarge } from './run-large.ts';

/** The whole run, `pnpm test:large`, has a journal of 1 GB, and all tasks. */
const options = { seed: 7, bytes: 3_000_000, lengths: [], tasks: ['open', 'tail', 'get-ids'], tears: false } as const;

let running: Promise<LargeResult> | null = null;

/** Begun by the first test that asks, and shared by all. */
function large(): Promise<LargeResult> {
  running ??= runLarge(options);
  return running;
}

function faultsOf(result: LargeResult): readonly string[] {
  return checksOf(result).flatMap(({ what, faults }) => faults.map((fault) => `${what}: ${fault}`));
}

describe('a large journal', () => {
  it('is used in processes with a small heap', { timeout: 180_000 }, async () => {
    const result = await large();
    expect(faultsOf(result)).toEqual([]);
    expect(result.tasks.map(({ said }) => (said?.bytesRead ?? 0) > result.journal.tailBytes / 2)).toContain(true);
  });

  it.each([
    ['reads more than its end', { bytesRead: 2_000_000 }],
    ['needs more memory', { peakRss: 1e9 }],
  ])('is found to fault when a task %s', { timeout: 180_000 }, async (_what, fields) => {
    const result = await large();
    const tasks = result.tasks.map((end) => ({ ...end, said: end.said === null ? null : { ...end.said, ...fields } }));
    expect(faultsOf({ ...result, tasks })).not.toEqual([]);
  });
});
