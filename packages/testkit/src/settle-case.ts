import type { Case, CaseResult, Closable, ExpectedFailures } from './case.ts';

/** How cases are run. */
export interface RunOptions {
  /** Deviations that are accepted. @default none */
  readonly expectFail?: ExpectedFailures | undefined;
}

/** Runs one case on fresh subjects, and closes them. Never rejects: whatever happens is in the result. */
export async function settleCase<Subject extends Closable>(
  one: Case<Subject>,
  open: () => Subject | Promise<Subject>,
  { expectFail = {} }: RunOptions = {},
): Promise<CaseResult> {
  const { name, why } = one;
  const opened: Subject[] = [];
  const openOne = async (): Promise<Subject> => {
    const subject = await open();
    opened.push(subject);
    return subject;
  };
  const expected = Object.hasOwn(expectFail, name) ? (expectFail[name] ?? '') : null;
  try {
    if (one.needs !== undefined && !one.needs(await openOne())) {
      const reason = one.unless ?? 'the subject does not support it';
      return { name, why, status: 'skipped', reason, error: null };
    }
    await one.run(openOne);
  } catch (error) {
    if (expected !== null) return { name, why, status: 'expected-failure', reason: expected, error };
    return { name, why, status: 'failed', reason: messageOf(error), error };
  } finally {
    await Promise.allSettled(opened.map(async (subject) => subject.close?.()));
  }
  if (expected === null) return { name, why, status: 'passed', reason: null, error: null };
  const reason = `It passes, but was expected to fail: ${expected}. Take it out of expectFail.`;
  return { name, why, status: 'unexpected-pass', reason, error: null };
}

/** Names in `expectFail` that no case has: a deviation that nobody checks any more. */
export function unknownExpectations(
  cases: readonly { readonly name: string }[],
  expectFail: ExpectedFailures = {},
): readonly string[] {
  const names = new Set(cases.map(({ name }) => name));
  return Object.keys(expectFail).filter((name) => !names.has(name));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
