import type { QualitySet } from '../sets/catalogue.ts';
import type { Strategy } from '../strategies/strategy.ts';
import { createTally, type Figures, type Tally } from './tally.ts';
import { judgeWalk, type PreparedTrajectory } from './walk.ts';

/** One row of a table: a strategy on a set with a budget. */
export interface Measured extends Figures {
  readonly set: string;
  readonly strategy: string;
  readonly family: Strategy['family'];
  readonly budget: number;
}

/** What is measured of a set. */
export interface MeasureOptions {
  readonly set: QualitySet;
  readonly trajectories: readonly PreparedTrajectory[];
  readonly budget: number;
  /** Every how many steps, or questions, are judged. Requests are made and paid for at every step. */
  readonly every: number;
}

/** Runs a strategy over all conversations of a set. */
export async function measure(strategy: Strategy, options: MeasureOptions): Promise<Measured> {
  const { set, trajectories, budget, every } = options;
  const tally: Tally = createTally(strategy.family === 'reference' ? Number.POSITIVE_INFINITY : budget);
  for (const prepared of trajectories) await judgeWalk(strategy, { prepared, budget, every, tally });
  const { name, family } = strategy;
  return { set: set.name, strategy: name, family, budget, ...tally.figures() };
}
