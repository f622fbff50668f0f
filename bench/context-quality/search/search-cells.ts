import { measure } from '../measure/measure.ts';
import { type PreparedTrajectory, prepareTrajectory } from '../measure/walk.ts';
import { type QualitySet, qualitySets } from '../sets/catalogue.ts';
import type { Strategy } from '../strategies/strategy.ts';

/** Some conversations of a set with a budget. */
export interface Cell {
  readonly set: QualitySet;
  readonly budget: number;
  readonly trajectories: readonly PreparedTrajectory[];
}

/** What a strategy reaches over some cells: means of shares from 0 to 1, and of costs against sending everything. */
export interface CellFigures {
  readonly identifiers: number;
  readonly lines: number;
  readonly instructions: number;
  readonly evidence: number;
  readonly costShare: number;
}

/** Conversations on which values are chosen, and those that are kept for judging what was chosen. */
export type Half = 'chosen' | 'held-out';

/** Sets that take part, at which budgets; of those with one conversation, which half it belongs to. */
const parts: readonly { readonly name: string; readonly budgets: readonly number[]; readonly half?: Half }[] = [
  { name: 'claude-code', budgets: [8_000, 32_000] },
  { name: 'recorded', budgets: [8_000], half: 'chosen' },
  { name: 'pi', budgets: [8_000], half: 'held-out' },
  { name: 'locomo', budgets: [4_000] },
];

/** Every how many questions of a dialogue are asked, and steps of an agent judged. */
const questionsEvery = 10;
const stepsEvery = 2;

/** A need is far from here on; nearer than in the tables, so that what the newest messages are worth counts, too. */
const distance = 1_000;

/** The cells of one half: every other conversation of each set. */
export function cellsOf(half: Half, { data, seed }: { readonly data: string; readonly seed: number }): readonly Cell[] {
  return parts.flatMap(({ name, budgets, half: only }) => {
    const set = qualitySets.find((one) => one.name === name);
    if (set === undefined) return [];
    const parity = half === 'chosen' ? 0 : 1;
    const own = set
      .load({ data, seed })
      .filter((_, index) => (only === undefined ? index % 2 === parity : only === half));
    const trajectories = own.map((trajectory) => prepareTrajectory(trajectory, set.distance === 0 ? 0 : distance));
    return trajectories.length === 0 ? [] : budgets.map((budget) => ({ set, budget, trajectories }));
  });
}

/** Measures a strategy on some cells; each cell counts the same. */
export async function measureCells(
  strategy: Strategy,
  { cells, fullCosts }: { readonly cells: readonly Cell[]; readonly fullCosts: readonly number[] },
): Promise<CellFigures> {
  const lists = { identifiers: [], lines: [], instructions: [], evidence: [], costShare: [] } satisfies Record<
    keyof CellFigures,
    number[]
  > as Record<keyof CellFigures, number[]>;
  for (const [index, cell] of cells.entries()) {
    const every = cell.set.kind === 'chat' ? questionsEvery : stepsEvery;
    const row = await measure(strategy, { ...cell, every });
    for (const name of ['identifiers', 'lines', 'instructions', 'evidence'] as const) {
      const share = row[name];
      if (share !== null) lists[name].push(share);
    }
    lists.costShare.push(row.cost5m / (fullCosts[index] ?? Number.NaN));
  }
  return {
    identifiers: meanOf(lists.identifiers),
    lines: meanOf(lists.lines),
    instructions: meanOf(lists.instructions),
    evidence: meanOf(lists.evidence),
    costShare: meanOf(lists.costShare),
  };
}

/** What sending everything costs in each cell. */
export async function fullCostsOf(full: Strategy, cells: readonly Cell[]): Promise<readonly number[]> {
  const costs: number[] = [];
  for (const cell of cells) costs.push((await measure(full, { ...cell, every: Number.MAX_SAFE_INTEGER })).cost5m);
  return costs;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
