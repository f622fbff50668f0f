/** A figure with what it has to reach. */
export interface BenchCheck {
  readonly what: string;
  readonly figure: string;
  /** What it must reach; without it, the figure is only hoped for. */
  readonly must?: string;
  readonly goal?: string;
  readonly isMet: boolean;
}

/** What one set of measurements gives. */
export interface BenchResult {
  /** Tables for people. */
  readonly text: string;
  /** The same for programs. */
  readonly data: unknown;
  readonly checks: readonly BenchCheck[];
}

/** The command line is not right; the message says what is. */
export class BenchUsage extends Error {}
