import type { CaseResult, CaseStatus } from '../case.ts';

/** What a contract is for. */
export type SubjectKind = 'plugin' | 'engine' | 'store' | 'adapter' | 'model-port';

/** One case on a score card. */
export interface ScoredCase extends Pick<CaseResult, 'name' | 'why' | 'reason'> {
  /** `not-run` where its process had been ended too often before it. */
  readonly status: CaseStatus | 'not-run';
  /** The section about it in the documentation, from the root of the site: `reference/cases/plugins#…`. */
  readonly page: string;
}

/** How something does by its contract. */
export interface ScoreCard {
  readonly kind: SubjectKind;
  /** Name of the plugin, id of the engine, or what the store is called. */
  readonly subject: string;
  readonly passed: number;
  /** Failures and unexpected passes. */
  readonly failed: number;
  /** Left out, because it says that it cannot do what they are about. */
  readonly skipped: number;
  /** Failures that were expected, each with its reason. */
  readonly accepted: number;
  readonly notRun: number;
  /** True when nothing failed and everything was run. */
  readonly ok: boolean;
  /** In the order of the contract. */
  readonly cases: readonly ScoredCase[];
}

/** Counts results. Those that are missing are given as `not-run`, so that no card is good by being short. */
export function scoreCard(
  results: readonly Omit<ScoredCase, 'page'>[],
  { kind, subject }: Pick<ScoreCard, 'kind' | 'subject'>,
): ScoreCard {
  const count = (...statuses: readonly ScoredCase['status'][]): number =>
    results.filter(({ status }) => statuses.includes(status)).length;
  const failed = count('failed', 'unexpected-pass');
  const notRun = count('not-run');
  return {
    kind,
    subject,
    passed: count('passed'),
    failed,
    skipped: count('skipped'),
    accepted: count('expected-failure'),
    notRun,
    ok: failed + notRun === 0,
    cases: results.map(({ name, why, status, reason }) => ({ name, why, status, reason, page: casePage(kind, name) })),
  };
}

/** The section about a case in the documentation, from the root of the site. */
export function casePage(kind: SubjectKind, name: string): string {
  const words = name.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '');
  return `reference/cases/${kind}s#${words.trim().replaceAll(/\s+/g, '-')}`;
}
