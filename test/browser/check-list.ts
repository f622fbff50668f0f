/** Counts what holds, and says what does not. */
export interface CheckList {
  /** Proves one thing: it holds unless the proof throws. */
  check(what: string, prove: () => Promise<void>): Promise<void>;
  /** Notes what could not be tried. */
  skip(what: string, why: string): void;
  /** `N passed, N failed, N skipped`. */
  line(): string;
  failed(): number;
}

/** Begins with nothing. Says each thing as it is done. */
export function createCheckList(): CheckList {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  return {
    check: async (what, prove) => {
      try {
        await prove();
        counts.passed += 1;
        console.log(`passed: ${what}`);
      } catch (error) {
        counts.failed += 1;
        console.log(`failed: ${what}: ${error instanceof Error ? error.message : String(error)}`);
      }
    },
    skip: (what, why) => {
      counts.skipped += 1;
      console.log(`skipped: ${what}: ${why}`);
    },
    line: () => `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`,
    failed: () => counts.failed,
  };
}
