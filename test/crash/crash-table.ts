import type { LifeResult, RoundResult } from './run-life.ts';

/** Longest text of a fault that is printed, in characters. */
const longestFault = 1_200;

/** How many rounds, and flips, were as they must be, and how many were not. */
export function countResults(lives: readonly LifeResult[]): { readonly passed: number; readonly failed: number } {
  const rounds = lives.flatMap((life) => life.rounds);
  const badRounds = rounds.filter(({ faults }) => faults.length > 0).length;
  const flips = sum(lives.map((life) => life.flips.flips));
  const badFlips = sum(lives.map((life) => life.flips.failed));
  const failed = badRounds + badFlips;
  return { passed: rounds.length + flips - failed, failed };
}

/** What was done and what was found, in lines of text. */
export function formatCrashes(lives: readonly LifeResult[]): string {
  const rounds = lives.flatMap((life) => life.rounds);
  const kept = lives.flatMap((life) => [...life.entries]);
  const total = (pick: (round: RoundResult) => number): number => sum(rounds.map(pick));
  return [
    'ended                        rounds',
    ...rows(rounds.map(({ place }) => [place, 1])),
    'repaired at opening          times',
    ...rows(rounds.flatMap(({ repairs }) => repairs.map((kind) => [kind, 1] as const))),
    'left in the end              entries',
    ...rows(kept),
    'found',
    ...rows([
      ['entries acknowledged', total(({ acknowledged }) => acknowledged)],
      ['entries beyond', total(({ beyond }) => beyond)],
      ['torn tails', total(({ tornBytes }) => Math.sign(tornBytes))],
      ['bytes in torn tails', total(({ tornBytes }) => tornBytes)],
      ['rounds that met a lock', total(({ lockWaits }) => Math.sign(lockWaits))],
      ['calls that tools ran', sum(lives.map(({ toolRuns }) => toolRuns))],
      ['bytes flipped', sum(lives.map(({ flips }) => flips.flips))],
      ['flips that lost an entry', sum(lives.map(({ flips }) => flips.lossy))],
    ]),
  ].join('\n');
}

/** What was wrong in a life; empty when nothing was. */
export function formatFaults({ seed, rounds, flips, kept }: LifeResult): string {
  const bad = rounds.filter(({ faults }) => faults.length > 0);
  const faults = bad.flatMap(({ round, place, faults: found }) =>
    found.map(({ rule, text }) => `  round ${round}, ${place}: ${rule}: ${text.slice(0, longestFault)}`),
  );
  faults.push(...flips.faults.map(({ text }) => `  flip: ${text.slice(0, longestFault)}`));
  return faults.length === 0 ? '' : [`seed ${seed}, files in ${kept}`, ...faults].join('\n');
}

function rows(counts: readonly (readonly [name: string, count: number])[]): readonly string[] {
  const sums = new Map<string, number>();
  for (const [name, count] of counts) sums.set(name, (sums.get(name) ?? 0) + count);
  return [...sums]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, count]) => `  ${name.padEnd(26)} ${count}`);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
