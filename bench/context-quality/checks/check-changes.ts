import { type Measured, measure } from '../measure/measure.ts';
import { prepareTrajectory } from '../measure/walk.ts';
import type { QualitySet } from '../sets/catalogue.ts';
import { renameIdentifiers } from '../sets/rename-identifiers.ts';
import { shiftTimes } from '../sets/shift-times.ts';
import type { Trajectory } from '../sets/trajectory.ts';
import type { Strategy } from '../strategies/strategy.ts';

/** One strategy on a set as it is, and on the same conversations with something changed. */
export interface ChangedRow {
  readonly change: string;
  readonly plain: Measured;
  readonly changed: Measured;
}

const renamedWith = 7;
const shiftedDays = 411;

/** What may be changed without changing what a conversation is about. */
const changes: readonly { readonly name: string; readonly make: (one: Trajectory) => Trajectory }[] = [
  { name: `identifiers renamed with seed ${renamedWith}`, make: (one) => renameIdentifiers(one, renamedWith) },
  { name: `times shifted by ${shiftedDays} days`, make: (one) => shiftTimes(one, shiftedDays) },
];

/** Measures a strategy again on conversations with other names, and at another time. */
export async function checkChanges(
  strategy: Strategy,
  options: {
    readonly set: QualitySet;
    readonly trajectories: readonly Trajectory[];
    readonly budget: number;
    readonly every: number;
    readonly plain: Measured;
  },
): Promise<readonly ChangedRow[]> {
  const { set, trajectories, budget, every, plain } = options;
  const rows: ChangedRow[] = [];
  for (const { name, make } of changes) {
    const prepared = trajectories.map((one) => prepareTrajectory(make(one), set.distance));
    const changed = await measure(strategy, { set, trajectories: prepared, budget, every });
    rows.push({ change: name, plain, changed });
  }
  return rows;
}

/** Figures that a change may move; `null` where a set does not have one. */
export const changedFigures = ['evidence', 'answer', 'identifiers', 'lines', 'instructions'] as const;

/** The largest distance between a set and the changed one, in points. */
export function largestChange(rows: readonly ChangedRow[]): number {
  const points = rows.flatMap(({ plain, changed }) =>
    changedFigures.map((name) => Math.abs((changed[name] ?? 0) - (plain[name] ?? 0)) * 100),
  );
  return Math.max(0, ...points);
}
