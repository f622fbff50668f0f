import type { BenchCheck } from '../../bench-result.ts';
import { type ChangedRow, largestChange } from '../checks/check-changes.ts';
import type { PrefixCheck } from '../checks/check-prefix.ts';
import type { Survival } from '../checks/compaction-survival.ts';
import { figureOf, goalsFor, reaches } from '../measure/goals.ts';
import type { Measured } from '../measure/measure.ts';
import { percent, short } from './quality-table.ts';

/** What a digest of 2,000 tokens must keep of what is needed next, and what is hoped for. */
const survivalLimits = { budget: 2_000, must: 0.65, goal: 0.92 };

/** Everything that has a limit. */
export function qualityChecks(measured: {
  readonly rows: readonly Measured[];
  readonly prefixes: readonly PrefixCheck[];
  readonly changes: readonly ChangedRow[];
  readonly survival: readonly Survival[];
}): readonly BenchCheck[] {
  const { rows, prefixes, changes, survival } = measured;
  return [
    ...rows.flatMap((row) => goalChecks(row, fullOf(row, rows))),
    ...survival
      .filter(({ method, budget }) => method === 'digest' && budget === survivalLimits.budget)
      .flatMap(({ share }) =>
        twoChecks('identifiers that survive a compaction of 2k tokens', { ...survivalLimits, value: share }),
      ),
    ...zeroChecks(rows),
    ...judgeCheck(rows),
    ...(prefixes.length === 0 ? [] : [prefixCheck(prefixes)]),
    ...(changes.length === 0 ? [] : [changeCheck(changes)]),
  ];
}

function fullOf({ set, budget }: Measured, rows: readonly Measured[]): Measured | undefined {
  return rows.find((row) => row.family === 'reference' && row.set === set && row.budget === budget);
}

function goalChecks(row: Measured, full: Measured | undefined): readonly BenchCheck[] {
  return goalsFor(row).flatMap(({ figure, must, goal }) => {
    const value = figureOf(row, figure, full);
    if (value === null) return [];
    const what = `${row.set} ${short(row.budget)}, ${row.strategy}: ${figure}`;
    return twoChecks(what, { value, must, goal, isCost: figure === 'costShare' });
  });
}

/** What must be reached and what is hoped for are two checks. */
function twoChecks(
  what: string,
  limits: { readonly value: number; readonly must: number; readonly goal: number; readonly isCost?: boolean },
): readonly BenchCheck[] {
  const { value, must, goal, isCost = false } = limits;
  const sign = isCost ? '≤' : '≥';
  const textOf = (one: number): string => (isCost ? one.toFixed(2) : `${percent(one)} %`);
  const isMet = (limit: number): boolean => reaches(value, limit, isCost ? 'costShare' : 'evidence');
  return [
    { what, figure: textOf(value), must: `${sign} ${textOf(must)}`, isMet: isMet(must) },
    { what, figure: textOf(value), goal: `${sign} ${textOf(goal)}`, isMet: isMet(goal) },
  ];
}

/** What the product may never do, over all that was measured. */
function zeroChecks(rows: readonly Measured[]): readonly BenchCheck[] {
  const own = rows.filter(({ family }) => family === 'product');
  if (own.length === 0) return [];
  const requests = own.reduce((sum, row) => sum + row.requests, 0);
  return (['invalid', 'overBudget', 'failed'] as const).map((name) => {
    const count = own.reduce((sum, row) => sum + row[name], 0);
    const what = { invalid: 'invalid', overBudget: 'over their budget', failed: 'that could not be made' }[name];
    return {
      what: `requests of the product ${what}`,
      figure: `${count} of ${requests}`,
      must: '0',
      isMet: count === 0,
    };
  });
}

/** Whoever sends everything must get everything: otherwise the judge looks for what is not there. */
function judgeCheck(rows: readonly Measured[]): readonly BenchCheck[] {
  const shares = rows
    .filter(({ family }) => family === 'reference')
    .flatMap((row) => [row.evidence, row.complete, row.answer, row.identifiers, row.lines, row.instructions])
    .filter((share) => share !== null);
  if (shares.length === 0) return [];
  const least = Math.min(...shares);
  const what = 'least share that the judge finds where everything is sent';
  return [{ what, figure: `${percent(least)} %`, must: '100 %', isMet: least === 1 }];
}

/** Points by which a figure may differ when names or times are others. */
const mostPoints = 3;

function changeCheck(changes: readonly ChangedRow[]): BenchCheck {
  const points = largestChange(changes);
  return {
    what: 'largest difference with other names or times, in points',
    figure: points.toFixed(1),
    must: `≤ ${mostPoints}`,
    isMet: points <= mostPoints,
  };
}

function prefixCheck(prefixes: readonly PrefixCheck[]): BenchCheck {
  const different = prefixes.reduce((sum, one) => sum + one.different.length, 0);
  const checked = prefixes.reduce((sum, one) => sum + one.checked, 0);
  return {
    what: 'requests that differ when the file ends before them',
    figure: `${different} of ${checked}`,
    must: '0',
    isMet: different === 0,
  };
}
