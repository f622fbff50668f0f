/** Something that has to hold, and what is wrong with it. */
interface Check {
  readonly name: string;
  /** Empty where it holds. */
  readonly faults: readonly string[];
}

/** What a part of the run gave. */
export interface Part {
  /** What was measured, for people. */
  readonly lines: readonly string[];
  readonly checks: readonly Check[];
}
