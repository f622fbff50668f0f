import type { Measured } from './measure.ts';

/** A figure that can have a goal. Costs are told against sending everything. */
export type GoalFigure = 'evidence' | 'answer' | 'identifiers' | 'lines' | 'instructions' | 'costShare';

/** What a figure must reach, and what is hoped for. Of costs the smaller is the better. */
export interface Goal {
  readonly set: string;
  readonly budget: number;
  /** Modes of the product that it is for. */
  readonly modes: readonly string[];
  readonly figure: GoalFigure;
  readonly must: number;
  readonly goal: number;
}

const recall = ['quality'];
const cacheFriendly = ['strata', 'cache-friendly'];
const all = ['default', 'strata', 'cache-friendly', 'quality'];
const appending = ['default', 'strata', 'cache-friendly'];

function goal(
  where: readonly [set: string, budget: number, modes: readonly string[]],
  figure: GoalFigure,
  [must, hoped]: readonly [number, number],
): Goal {
  const [set, budget, modes] = where;
  return { set, budget, modes, figure, must, goal: hoped };
}

/** What the product stands for. They are for data that was not tuned on; the shipped sets have none. */
export const goals: readonly Goal[] = [
  goal(['locomo', 2_000, recall], 'evidence', [0.78, 0.88]),
  goal(['locomo', 4_000, recall], 'evidence', [0.84, 0.92]),
  goal(['locomo', 8_000, recall], 'evidence', [0.89, 0.95]),
  goal(['locomo-merged', 2_000, recall], 'evidence', [0.74, 0.83]),
  goal(['locomo-merged', 8_000, recall], 'evidence', [0.86, 0.93]),
  goal(['bfcl', 1_000, recall], 'answer', [0.93, 0.98]),
  goal(['hg-tods', 4_000, recall], 'evidence', [0.8, 0.93]),
  goal(['kdconv', 4_000, recall], 'evidence', [0.5, 0.75]),
  goal(['claude-code', 8_000, cacheFriendly], 'identifiers', [0.75, 0.88]),
  goal(['claude-code', 8_000, cacheFriendly], 'lines', [0.35, 0.5]),
  goal(['claude-code', 8_000, recall], 'identifiers', [0.85, 0.95]),
  goal(['claude-code', 8_000, recall], 'lines', [0.55, 0.68]),
  goal(['claude-code', 8_000, all], 'instructions', [0.75, 0.92]),
  goal(['pi', 8_000, cacheFriendly], 'identifiers', [0.75, 0.88]),
  goal(['pi', 8_000, cacheFriendly], 'lines', [0.35, 0.5]),
  goal(['pi', 8_000, recall], 'identifiers', [0.85, 0.95]),
  goal(['pi', 8_000, recall], 'lines', [0.55, 0.68]),
  goal(['pi', 8_000, all], 'instructions', [0.75, 0.92]),
  goal(['claude-code', 32_000, appending], 'costShare', [0.75, 0.45]),
  goal(['pi', 32_000, appending], 'costShare', [0.75, 0.45]),
];

/** The figure of a row that a goal is about; `null` where it was not measured. */
export function figureOf(row: Measured, figure: GoalFigure, full: Measured | undefined): number | null {
  if (figure !== 'costShare') return row[figure];
  return full === undefined || full.cost5m === 0 ? null : row.cost5m / full.cost5m;
}

/** Whether a value reaches a limit. */
export function reaches(value: number, limit: number, figure: GoalFigure): boolean {
  return figure === 'costShare' ? value <= limit : value >= limit;
}

/** Goals of one row. */
export function goalsFor({ set, budget, strategy, family }: Measured): readonly Goal[] {
  if (family !== 'product') return [];
  return goals.filter(
    (one) => one.set === set && one.budget === budget && one.modes.some((mode) => strategy === `varve ${mode}`),
  );
}
