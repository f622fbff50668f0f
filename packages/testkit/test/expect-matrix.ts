import type { Case, Closable } from '@varve/testkit';
import { expect } from 'vitest';
import { type Mutant, runMatrix } from './mutants/mutant.ts';

/** Every case is failed by a mutant, every mutant fails its case and no others but those it names. Prints the matrix. */
export async function expectMatrix<Subject extends Closable>(
  title: string,
  cases: readonly Case<Subject>[],
  mutants: readonly Mutant<Subject>[],
): Promise<void> {
  const names = cases.map(({ name }) => name);
  expect(new Set(names).size, 'cases with a name of their own').toBe(names.length);
  const { failed, text } = await runMatrix(cases, mutants);
  const single = [...failed.values()].filter((all) => all.length === 1).length;
  console.log(
    `${title}: ${cases.length} cases × ${mutants.length} mutants, ${single} of them found by one case\n${text}`,
  );
  const known = (mutant: Mutant<Subject>): readonly string[] => [mutant.fails, ...(mutant.also ?? [])];
  const failedBy = ({ name }: Mutant<Subject>): readonly string[] => failed.get(name) ?? [];
  const missed = mutants.filter((mutant) => !failedBy(mutant).includes(mutant.fails));
  expect(
    missed.map(({ name, fails }) => `${name}: ${fails}`),
    'mutants that their case does not find',
  ).toEqual([]);
  const more = mutants.flatMap((mutant) =>
    failedBy(mutant).flatMap((name) => (known(mutant).includes(name) ? [] : [`${mutant.name}: ${name}`])),
  );
  expect(more, 'cases that fail for mutants which do not name them').toEqual([]);
  const unknown = mutants.flatMap(known).filter((name) => !names.includes(name));
  expect(unknown, 'cases that mutants name and nobody has').toEqual([]);
  const found = new Set([...failed.values()].flat());
  expect(
    names.filter((name) => !found.has(name)),
    'cases that no mutant fails',
  ).toEqual([]);
}
