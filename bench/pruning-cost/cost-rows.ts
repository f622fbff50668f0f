import { type ReplayFigures, replay } from './replay.ts';
import { type ProfileName, profiles, strategies } from './strategies.ts';
import type { Trace } from './trace.ts';

/** One strategy at one provider's prices, over all sessions. */
export interface CostRow {
  readonly profile: ProfileName;
  readonly strategy: string;
  /** Cost against never pruning. */
  readonly costRatio: number;
  /** The same of the session where it is highest. */
  readonly highestRatio: number;
  readonly tokensPerRequest: number;
  readonly readShare: number;
  readonly rewrites: number;
  /** Of the identifiers that an answer used and the conversation held only far behind, those that the prompt showed. */
  readonly visibleShare: number;
  readonly sessions: readonly { readonly name: string; readonly cost: number; readonly costRatio: number }[];
}

/** Replays every session with every strategy at all prices. */
export async function costRows(traces: readonly Trace[]): Promise<readonly CostRow[]> {
  const rows: CostRow[] = [];
  for (const profile of Object.keys(profiles) as ProfileName[]) {
    let base: readonly ReplayFigures[] | null = null;
    for (const strategy of strategies) {
      const figures: ReplayFigures[] = [];
      for (const trace of traces) figures.push(await replay(trace, { strategy, profile }));
      base ??= figures;
      rows.push(rowOf(figures, { base, traces, profile, strategy: strategy.name }));
    }
  }
  return rows;
}

function rowOf(
  figures: readonly ReplayFigures[],
  {
    base,
    traces,
    profile,
    strategy,
  }: {
    readonly base: readonly ReplayFigures[];
    readonly traces: readonly Trace[];
    readonly profile: ProfileName;
    readonly strategy: string;
  },
): CostRow {
  const sum = (of: readonly ReplayFigures[], field: keyof ReplayFigures): number =>
    of.reduce((total, one) => total + one[field], 0);
  const tokens = sum(figures, 'read') + sum(figures, 'written') + sum(figures, 'uncached');
  const sessions = figures.map(({ cost }, index) => ({
    name: traces[index]?.name ?? '',
    cost: Math.round(cost),
    costRatio: cost / (base[index]?.cost ?? cost),
  }));
  return {
    profile,
    strategy,
    costRatio: sum(figures, 'cost') / sum(base, 'cost'),
    highestRatio: Math.max(...sessions.map(({ costRatio }) => costRatio)),
    tokensPerRequest: Math.round(tokens / sum(figures, 'requests')),
    readShare: sum(figures, 'read') / tokens,
    rewrites: sum(figures, 'rewrites'),
    visibleShare: sum(figures, 'visible') / Math.max(1, sum(figures, 'needed')),
    sessions,
  };
}
