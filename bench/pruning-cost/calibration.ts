import { replay } from './replay.ts';
import { type ProfileName, strategies } from './strategies.ts';
import type { Trace } from './trace.ts';

/** How well the simulated cache agrees with what a provider reported of a session. Shares of all prompt tokens. */
export interface CalibrationRow {
  readonly name: string;
  readonly cacheLife: Trace['cacheLife'];
  readonly recorded: number;
  readonly simulated: number;
}

/** Sends everything, as those sessions did, until they were first compacted. */
export async function calibrate(traces: readonly Trace[]): Promise<readonly CalibrationRow[]> {
  const rows: CalibrationRow[] = [];
  for (const trace of traces) {
    const { name, cacheLife, recorded, uncompacted: until } = trace;
    const [strategy] = strategies;
    if (recorded === null || strategy === undefined) continue;
    const profile: ProfileName = `anthropic-${cacheLife}`;
    const { read, written, uncached } = await replay(trace, { strategy, profile, until });
    rows.push({
      name,
      cacheLife,
      recorded: recorded.read / recorded.total,
      simulated: read / (read + written + uncached),
    });
  }
  return rows;
}
