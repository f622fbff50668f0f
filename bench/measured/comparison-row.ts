import type { Spread } from '../interleave.ts';

/** One line of the table. */
export interface ComparisonRow {
  /** Of the workload, such as `B2`. */
  readonly workload: string;
  /** The same in every run, and unlike those of other rows of the workload: `appendFile + flush`. */
  readonly name: string;
  /** What is compared, for people. */
  readonly what: string;
  readonly figure: Spread;
  /** Of the figure: `×` for a ratio, which is the same on fast and slow machines. */
  readonly unit: '×' | 'ms' | 'MB' | 'KB' | 'count';
  /** `more`: a peer takes so many times our time. `less`: we take so many times that of a limit, or so much. */
  readonly better: 'more' | 'less';
  readonly must?: number | undefined;
  readonly goal?: number | undefined;
  /** The times behind it, or what else explains it. */
  readonly detail?: string | undefined;
}

/** A peer that could not be measured. */
export interface MissingPeer {
  readonly name: string;
  readonly why: string;
}

/** What one workload gives. */
export interface WorkloadResult {
  readonly rows: readonly ComparisonRow[];
  readonly missing?: readonly MissingPeer[] | undefined;
  /** What else was seen. */
  readonly notes?: readonly string[] | undefined;
}

/** A figure that was measured once. */
export function once(value: number): Spread {
  return { least: value, median: value, most: value };
}

/** Milliseconds for people. */
export function milliseconds(ms: number): string {
  const [value, unit] = ms >= 1_000 ? [ms / 1_000, 's'] : ms >= 1 ? [ms, 'ms'] : [ms * 1_000, 'µs'];
  return `${value.toFixed(value >= 99.5 ? 0 : value >= 9.95 ? 1 : 2)} ${unit}`;
}
