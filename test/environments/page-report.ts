/** One test that was run without Node. */
export interface PageTest {
  /** Path from the repository's root. */
  readonly file: string;
  readonly name: string;
  readonly state: 'pass' | 'fail' | 'skip';
  /** Why it failed or was skipped. */
  readonly why: string | null;
}

/** What the bundle of tests says when it has run. */
export interface PageReport {
  readonly tests: readonly PageTest[];
}

/** What the bundle of tests puts into the global scope. */
export interface PageGlobal {
  runCoreTests(options: { readonly seed: number }): Promise<PageReport>;
}
