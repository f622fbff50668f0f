/** What a case tries out: a store, a plugin or an engine, with what is needed to use it. */
export interface Closable {
  /** Called when the case is over, however it ended: removes folders, closes connections. */
  readonly close?: (() => void | PromiseLike<void>) | undefined;
}

/**
 * One demand of a contract, as data: documentation lists it, runners run it, a score card counts it. Cases know no test
 * runner.
 */
export interface Case<Subject> {
  /** A verb phrase, unique in its list and stable: {@link ExpectedFailures} names cases by it. */
  readonly name: string;
  /** What goes wrong for users where the case fails; one sentence, shown with the failure. */
  readonly why: string;
  /** Whether the subject can do what the case is about. @default it can */
  readonly needs?: ((subject: Subject) => boolean) | undefined;
  /** Why the case is skipped where `needs` says no; a clause without a full stop. Given with `needs`. */
  readonly unless?: string | undefined;
  /**
   * Tries it out. Each call of `open` gives a fresh subject that shares nothing with another.
   *
   * @throws when the subject does not do what the case demands; the message says what was expected and what came.
   */
  run(open: () => Promise<Subject>): Promise<void>;
}

/** Accepted deviations: the name of a case, and the reason why it fails. A case that passes all the same is a failure. */
export type ExpectedFailures = Readonly<Record<string, string>>;

/** How a case ended. Only `failed` and `unexpected-pass` are bad. */
export type CaseStatus = 'passed' | 'failed' | 'skipped' | 'expected-failure' | 'unexpected-pass';

/** What became of one case. */
export interface CaseResult {
  readonly name: string;
  readonly why: string;
  readonly status: CaseStatus;
  /** Why it was skipped, why its failure was expected, or what went wrong; `null` when it passed. */
  readonly reason: string | null;
  /** What the case threw; `null` when it threw nothing. */
  readonly error: unknown;
}
