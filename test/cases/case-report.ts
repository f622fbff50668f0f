import type { CaseFamily, CaseRow, TestReference } from './case-row.ts';

/** How one test ended, as a runner reports it. */
export interface TestOutcome {
  readonly file: string;
  /** Titles of suites and test, joined by ` > `. */
  readonly title: string;
  readonly status: 'passed' | 'failed' | 'skipped';
}

/** How a case stands: `missing` when a test that it names did not run, `later` when it names none yet. */
type CaseStatus = 'passed' | 'failed' | 'skipped' | 'missing' | 'later';

/** A case with how it stands. */
export interface CaseResult extends CaseRow {
  readonly status: CaseStatus;
  /** How many tests were run for it. */
  readonly ran: number;
  /** Tests that did not pass, and references that no test answers to. */
  readonly notPassed: readonly TestReference[];
}

/** Holds outcomes of tests against the cases that name them. */
export function judgeCases(rows: readonly CaseRow[], outcomes: readonly TestOutcome[]): readonly CaseResult[] {
  return rows.map((row) => {
    const found = row.tests.map((reference) => ({ reference, answers: answersTo(reference, outcomes) }));
    const ran = new Set(found.flatMap(({ answers }) => answers));
    const missing = found.filter(({ answers }) => answers.length === 0).map(({ reference }) => reference);
    const bad = [...ran].filter(({ status }) => status !== 'passed');
    return { ...row, status: statusOf(row, { missing, bad }), ran: ran.size, notPassed: [...missing, ...bad] };
  });
}

function answersTo({ file, title }: TestReference, outcomes: readonly TestOutcome[]): readonly TestOutcome[] {
  return outcomes.filter((one) => one.file === file && (one.title === title || one.title.startsWith(`${title} > `)));
}

function statusOf(
  { later }: CaseRow,
  { missing, bad }: { readonly missing: readonly TestReference[]; readonly bad: readonly TestOutcome[] },
): CaseStatus {
  if (later !== undefined) return 'later';
  if (bad.some(({ status }) => status === 'failed')) return 'failed';
  if (missing.length > 0) return 'missing';
  return bad.length > 0 ? 'skipped' : 'passed';
}

/** True unless each case that can be shown is. */
export function isShort(results: readonly CaseResult[]): boolean {
  return results.some(({ status }) => status !== 'passed' && status !== 'later');
}

/** Columns of the printed table, in characters; the third has what is left of the line. */
const idWidth = 11;
const statusWidth = 18;
const leastText = 24;

/** The table, as wide as a line may be; then what did not pass, and the counts. */
export function formatCases(
  families: readonly CaseFamily[],
  { results, columns }: { readonly results: readonly CaseResult[]; readonly columns: number },
): string {
  const text = Math.max(leastText, Math.floor((columns - idWidth - statusWidth - 6) / 2));
  const widths = [idWidth, text, text, statusWidth];
  const byId = new Map(results.map((result) => [result.id, result]));
  const lines = [lineOf(['case', 'what goes wrong elsewhere', 'what holds here', 'tests'], widths)];
  for (const { title, rows } of families) {
    const shown = rows.flatMap(({ id }) => byId.get(id) ?? []);
    if (shown.length > 0) lines.push('', `— ${title}`, '');
    for (const result of shown) lines.push(lineOf([result.id, result.wrong, result.right, statusText(result)], widths));
  }
  return [...lines, ...namesOf(results), '', countsOf(results)].join('\n');
}

function statusText({ status, ran, later }: CaseResult): string {
  return status === 'later' ? `later: ${later}` : `${ran} ${status}`;
}

function namesOf(results: readonly CaseResult[]): readonly string[] {
  const bad = results.filter(({ notPassed }) => notPassed.length > 0);
  return bad.flatMap(({ id, status, notPassed }) => [
    '',
    `${id} ${status}:`,
    ...notPassed.map(({ file, title }) => `  ${file}: ${title}`),
  ]);
}

/** The closing line. */
function countsOf(results: readonly CaseResult[]): string {
  const count = (status: CaseStatus): number => results.filter((result) => result.status === status).length;
  const rest = (['failed', 'missing', 'skipped', 'later'] as const).map((status) => `${count(status)} ${status}`);
  return `cases: ${[`${count('passed')} passed`, ...rest].join(', ')}`;
}

/** Cells side by side, each broken at spaces. */
function lineOf(cells: readonly string[], widths: readonly number[]): string {
  const broken = cells.map((cell, index) => breakText(cell, widths[index] ?? leastText));
  const height = Math.max(...broken.map(({ length }) => length));
  return Array.from({ length: height }, (_, row) =>
    broken
      .map((lines, index) => (lines[row] ?? '').padEnd(widths[index] ?? leastText))
      .join('  ')
      .trimEnd(),
  ).join('\n');
}

function breakText(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
