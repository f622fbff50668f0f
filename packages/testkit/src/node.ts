import type { Case, CaseResult, Closable } from './case.ts';
import { type RunOptions, settleCase, unknownExpectations } from './settle-case.ts';

export type { RunOptions } from './settle-case.ts';

/** What became of a list of cases. */
export interface CaseReport {
  readonly results: readonly CaseResult[];
  readonly passed: number;
  /** Failures and unexpected passes. */
  readonly failed: number;
  readonly skipped: number;
  /** Failures that were expected. */
  readonly expected: number;
  /** True when nothing failed. */
  readonly ok: boolean;
}

/** How {@link runCases} runs them. */
export interface RunCasesOptions extends RunOptions {
  /** A case that takes longer has failed. @default 20 000 */
  readonly timeoutMs?: number | undefined;
  /** Told of each case when it has ended. */
  readonly onResult?: ((result: CaseResult) => void) | undefined;
}

/** Runs cases one after the other, without a test runner. */
export async function runCases<Subject extends Closable>(
  cases: readonly Case<Subject>[],
  open: () => Subject | Promise<Subject>,
  options: RunCasesOptions = {},
): Promise<CaseReport> {
  const { onResult, timeoutMs = 20_000, expectFail } = options;
  const results: CaseResult[] = [];
  const note = (result: CaseResult): void => {
    results.push(result);
    onResult?.(result);
  };
  for (const one of cases) note(await withinTime(one, () => settleCase(one, open, options), timeoutMs));
  for (const name of unknownExpectations(cases, expectFail)) {
    const reason = 'There is no case of that name; take it out of expectFail.';
    note({ name, why: 'A deviation that nobody checks hides what it was for.', status: 'failed', reason, error: null });
  }
  const count = (...statuses: readonly CaseResult['status'][]): number =>
    results.filter(({ status }) => statuses.includes(status)).length;
  const failed = count('failed', 'unexpected-pass');
  return {
    results,
    passed: count('passed'),
    failed,
    skipped: count('skipped'),
    expected: count('expected-failure'),
    ok: failed === 0,
  };
}

/** A report as lines of text: one for each case that did not simply pass, and the counts. */
export function formatReport({ results, passed, failed, skipped, expected }: CaseReport): string {
  const lines = results
    .filter(({ status }) => status !== 'passed')
    .map(({ name, status, reason, why }) => {
      const bad = status === 'failed' || status === 'unexpected-pass';
      return `${status}: ${name}\n    ${reason ?? ''}${bad ? `\n    why it matters: ${why}` : ''}`;
    });
  const deviations = expected === 0 ? '' : `, ${expected} failed as expected`;
  return [...lines, `${passed} passed, ${failed} failed, ${skipped} skipped${deviations}`].join('\n');
}

async function withinTime(
  { name, why }: Pick<CaseResult, 'name' | 'why'>,
  run: () => Promise<CaseResult>,
  timeoutMs: number,
): Promise<CaseResult> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<CaseResult>((resolve) => {
    const reason = `It was not done after ${timeoutMs} ms.`;
    timer = setTimeout(() => resolve({ name, why, status: 'failed', reason, error: null }), timeoutMs);
  });
  try {
    return await Promise.race([run(), late]);
  } finally {
    clearTimeout(timer);
  }
}
