import type { Case, Closable } from '@varve/testkit';
import { runCases } from '@varve/testkit/node';

/** A subject that is broken on purpose, in one way. */
export interface Mutant<Subject> {
  /** What it does wrong. */
  readonly name: string;
  /** The case that is there to find it. */
  readonly fails: string;
  /** Other cases that may fail for the same reason, and no others. @default none */
  readonly also?: readonly string[];
  open(): Subject;
}

/** What cases found: for each mutant, the names of the cases that it failed. */
export interface Matrix {
  readonly failed: ReadonlyMap<string, readonly string[]>;
  /** One line a case: its name, and a letter for each mutant that fails it. */
  readonly text: string;
}

/** Runs every case on every mutant. */
export async function runMatrix<Subject extends Closable>(
  cases: readonly Case<Subject>[],
  mutants: readonly Mutant<Subject>[],
): Promise<Matrix> {
  const failed = new Map<string, readonly string[]>();
  for (const mutant of mutants) {
    const { results } = await runCases(cases, () => mutant.open(), { timeoutMs: 240_000 });
    const names = results.filter(({ status }) => status === 'failed').map(({ name }) => name);
    failed.set(mutant.name, names);
  }
  const lines = cases.map(({ name }) => {
    const marks = mutants.map((mutant) => (failed.get(mutant.name)?.includes(name) ? '●' : '·'));
    return `${marks.join('')}  ${name}`;
  });
  return { failed, text: lines.join('\n') };
}
