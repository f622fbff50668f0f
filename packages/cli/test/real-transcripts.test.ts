import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Replay, replayTranscript } from '@varve/cli';
import { VarveError } from '@varve/core';
import { summaryCompaction } from '@varve/plugin-summary-compaction';
import { ttlPruning } from '@varve/plugin-ttl-pruning';
import { describe, expect, it, type TestContext } from 'vitest';

const { VARVE_TRANSCRIPTS_DIR: root } = process.env;
/** About what Claude Code sends in front of every conversation. */
const systemTokens = 12_000;

/** Every JSON Lines file below a folder that the user names. */
function transcripts(context: TestContext): readonly string[] {
  if (root === undefined) context.skip('VARVE_TRANSCRIPTS_DIR names no folder of transcripts');
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .map((name) => join(root, name));
}

/** Replays a file; nothing when it is no transcript. */
async function replayed(file: string, budgetTokens: number | null): Promise<Replay | null> {
  const plugins = budgetTokens === null ? [] : [ttlPruning(), summaryCompaction()];
  try {
    return await replayTranscript({
      file,
      budgetTokens,
      systemTokens: budgetTokens === null ? systemTokens : 0,
      plugins,
    });
  } catch (error) {
    if (VarveError.is(error, 'VARVE_TRANSCRIPT_FORMAT') || VarveError.is(error, 'VARVE_TRANSCRIPT_EMPTY')) return null;
    throw error;
  }
}

describe('real transcripts', () => {
  it('are replayed without a request that fails or that a provider would refuse', {
    timeout: 600_000,
  }, async (context) => {
    for (const file of transcripts(context)) {
      for (const budgetTokens of [16_000, 32_000]) {
        const replay = await replayed(file, budgetTokens);
        if (replay === null) continue;
        expect({ file, ...replay.totals }).toMatchObject({ file, failed: 0, invalid: 0, refused: 0, dropped: 0 });
        expect(replay.health.findings).toEqual([]);
      }
    }
  });

  it('hit the simulated cache as often as the real one', { timeout: 600_000 }, async (context) => {
    for (const file of transcripts(context)) {
      const totals = (await replayed(file, null))?.totals;
      // Short sessions and those of a tool that compacts in other ways say little about the cache.
      if (totals?.recorded === undefined || totals.requests < 100 || totals.recordedCompactions !== 1) continue;
      const difference = totals.untilCompaction.hitRate - totals.recorded.untilCompaction.hitRate;
      expect({ file, points: Math.abs(difference * 100) < 1.5 }).toEqual({ file, points: true });
    }
  });
});
