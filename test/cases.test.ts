import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fillPage } from './cases/case-page.ts';
import { formatCases, isShort, judgeCases, type TestOutcome } from './cases/case-report.ts';
import type { CaseRow } from './cases/case-row.ts';
import { caseFamilies, caseRows } from './cases/case-table.ts';
import { titlesInSource } from './cases/titles-in-source.ts';

const root = join(import.meta.dirname, '..');

const titles = new Map<string, readonly RegExp[]>();

/** Whether the source of a file has each part of a title as that of a suite or test. */
function isInSource(file: string, title: string): boolean {
  const path = join(root, file);
  if (!existsSync(path)) return false;
  const known = titles.get(file) ?? titlesInSource(readFileSync(path, 'utf8'));
  titles.set(file, known);
  return title.split(' > ').every((part) => known.some((pattern) => pattern.test(part)));
}

describe('the table of cases', () => {
  it('names tests that are there', () => {
    const dead = caseRows.flatMap(({ id, tests }) =>
      tests.filter(({ file, title }) => !isInSource(file, title)).map(({ file, title }) => `${id}: ${file}: ${title}`),
    );
    expect(dead).toEqual([]);
  });

  it('has a test for every case, or says what the case waits for', () => {
    for (const { id, tests, later } of caseRows) expect(tests.length > 0, id).toBe(later === undefined);
  });

  it('names each case once, and says in a sentence what is wrong and what is right', () => {
    expect(new Set(caseRows.map(({ id }) => id)).size).toBe(caseRows.length);
    for (const { id, wrong, right } of caseRows) {
      for (const text of [wrong, right]) expect(text, id).toMatch(/^[A-Z“].{8,}[.?]$/);
    }
  });

  it('has every one of the traps, and no number left out between the first and the last', () => {
    const numbers = caseRows.flatMap(({ id }) => (id.startsWith('T-') ? [Number(id.slice(2))] : []));
    expect(numbers.sort((one, other) => one - other)).toEqual(Array.from({ length: 31 }, (_, index) => index + 1));
  });

  it('is the page of the documentation', () => {
    const page = readFileSync(join(root, 'docs/explanation/cases.md'), 'utf8');
    expect(fillPage(page, caseFamilies) === page, 'run: pnpm test:cases --write-page').toBe(true);
  });
});

describe('the check of references', () => {
  it.each([
    ['a file that is not there', 'test/nowhere.test.ts', 'the table of cases'],
    ['a suite that is not there', 'test/cases.test.ts', 'the table of clouds > names tests that are there'],
    ['a test that is not there', 'test/cases.test.ts', 'the table of cases > names clouds'],
  ])('finds %s', (_, file, title) => {
    expect(isInSource(file, title)).toBe(false);
  });

  it('knows the rows of a table', () => {
    expect(isInSource('test/cases.test.ts', 'the check of references > finds a file that is not there')).toBe(true);
  });
});

describe('a case', () => {
  const file = 'a.test.ts';
  const row: CaseRow = {
    id: 'X-01',
    wrong: 'It is lost.',
    right: 'It stays.',
    tests: [
      { file, title: 'it > stays' },
      { file, title: 'all of it' },
    ],
  };
  const passed: readonly TestOutcome[] = [
    { file, title: 'it > stays', status: 'passed' },
    { file, title: 'all of it > stays', status: 'passed' },
    { file, title: 'all of it > is read', status: 'passed' },
    { file, title: 'all of itself > is something else', status: 'failed' },
    { file: 'b.test.ts', title: 'it > stays', status: 'failed' },
  ];
  const but = (title: string, status: TestOutcome['status']): readonly TestOutcome[] =>
    passed.map((one) => (one.file === file && one.title === title ? { ...one, status } : one));

  it.each<[string, string, readonly TestOutcome[], boolean]>([
    ['passed', 'all of its tests pass', passed, false],
    ['failed', 'one of them fails', but('it > stays', 'failed'), true],
    ['failed', 'one of a suite that it names fails', but('all of it > is read', 'failed'), true],
    ['skipped', 'one of them is skipped', but('it > stays', 'skipped'), true],
    ['missing', 'one that it names did not run', passed.slice(1), true],
    ['missing', 'nothing ran', [], true],
  ])('is %s when %s', (status, _, outcomes, short) => {
    const results = judgeCases([row], outcomes);
    expect([results[0]?.status, isShort(results)]).toEqual([status, short]);
  });

  it('that waits is neither passed nor short, whatever ran', () => {
    const results = judgeCases([{ ...row, tests: [], later: 'a part' }], passed);
    expect([results[0]?.status, isShort(results)]).toEqual(['later', false]);
    expect(formatCases([{ title: 'All', rows: [row] }], { results, columns: 100 })).toMatch(/0 passed.*1 later$/);
  });

  it('is printed within the columns of a line, with what did not pass, and the counts last', () => {
    const results = judgeCases([row], but('it > stays', 'failed'));
    const lines = formatCases([{ title: 'All', rows: [row] }], { results, columns: 90 }).split('\n');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(90);
    expect(lines).toContain('  a.test.ts: it > stays');
    expect(lines.at(-1)).toBe('cases: 0 passed, 1 failed, 0 missing, 0 skipped, 0 later');
  });
});
