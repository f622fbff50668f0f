import { asksSummariser, type Factors, faultNames } from './factors.ts';
import { crossTables, formatCross, rarePairs } from './pair-coverage.ts';
import type { SeedResult } from './run-seed.ts';

/** What many transcripts came to. */
export interface LongTotals {
  readonly results: number;
  readonly failed: readonly SeedResult[];
  /** For each feature, how many transcripts had it. */
  readonly features: ReadonlyMap<string, number>;
  /** How often things happened, over all transcripts. */
  readonly counts: ReadonlyMap<string, number>;
  readonly drawn: readonly Drawn[];
}

/** The factors of a transcript, and whether its summariser was asked. */
interface Drawn extends Factors {
  readonly fired: boolean;
}

/** From so many transcripts on every pair of factors must have come often enough. */
export const coveredFrom = 10_000;
const leastOfPair = 100;

/** Nothing counted yet. */
export const noTotals: LongTotals = { results: 0, failed: [], features: new Map(), counts: new Map(), drawn: [] };

/** Adds the results of some seeds. */
export function addResults(totals: LongTotals, results: readonly SeedResult[]): LongTotals {
  const features = new Map(totals.features);
  for (const feature of results.flatMap((result) => result.features)) {
    features.set(feature, (features.get(feature) ?? 0) + 1);
  }
  const counts = new Map(totals.counts);
  for (const [name, count] of results.flatMap((result) => Object.entries(result.counts))) {
    counts.set(name, (counts.get(name) ?? 0) + count);
  }
  return {
    results: totals.results + results.length,
    failed: [...totals.failed, ...results.filter(({ violations }) => violations.length > 0)],
    features,
    counts,
    drawn: [...totals.drawn, ...results.map(({ factors, fired }) => ({ ...factors, fired }))],
  };
}

/** What the draw missed, as text: pairs that came too seldom, and faults that were drawn and did not come about. */
export function shortcomings({ results, drawn }: LongTotals): readonly string[] {
  const rare = results < coveredFrom ? [] : rarePairs(crossTables(drawn), { least: leastOfPair });
  const silent = faultRows(drawn).filter(({ asking, fired }) => fired < asking);
  return [
    ...rare.map((pair) => `${pair} times, not ${leastOfPair}`),
    ...silent.map(({ fault, asking, fired }) => `${fault} came about ${fired} times of ${asking}`),
  ];
}

/** What was drawn and what happened, as lines of text. */
export function formatTable(totals: LongTotals): string {
  const { results, features, counts, drawn } = totals;
  const shares = rowsOf(features).map(([feature, count]) => {
    const share = ((100 * count) / Math.max(1, results)).toFixed(1);
    return `${numberCell(count)}  ${share.padStart(5)} %  ${feature}`;
  });
  const sums = rowsOf(counts).map(([name, count]) => `${numberCell(count)}  ${name.replace(/^sum /, '')}`);
  const of = ['transcripts  share  with', ...shares].join('\n');
  const what = ['  times  what happened', ...sums].join('\n');
  const [first, ...others] = drawn;
  // Tables of one transcript are nothing but zeros.
  if (first !== undefined && others.length === 0) {
    const { provider, strategy, fault } = first;
    return [of, what, `${provider}, ${strategy}, ${fault}`].join('\n\n');
  }
  const faults = faultRows(drawn).map(({ fault, asking, fired, others }) => {
    return `${numberCell(asking)} ${numberCell(fired)} ${numberCell(others)}  ${fault}`;
  });
  return [
    of,
    what,
    ...crossTables(drawn).map(formatCross),
    ['where a summariser is asked:', '  drawn   fired elsewhere  fault of the summariser', ...faults].join('\n'),
  ].join('\n\n');
}

/** A failing seed with what is wrong and the operations that lead there. */
export function formatFailure({ seed, factors, violations, prefix }: SeedResult): string {
  return [
    `seed ${seed} fails: ${Object.values(factors).join(', ')}`,
    ...violations.map(({ rule, op, what }) => `  ${rule} at operation ${op}: ${what}`),
    `  smallest prefix that fails, ${prefix.length} operations:`,
    ...prefix.map((operation, index) => `    ${index} ${operation}`),
  ].join('\n');
}

interface FaultRow {
  readonly fault: string;
  /** Transcripts that drew it with a strategy that asks a summariser, those where it came about, and all others with it. */
  readonly asking: number;
  readonly fired: number;
  readonly others: number;
}

function faultRows(drawn: readonly Drawn[]): readonly FaultRow[] {
  return faultNames.map((fault) => {
    const own = drawn.filter((one) => one.fault === fault);
    const asking = own.filter(({ strategy }) => asksSummariser(strategy));
    const fired = asking.filter((one) => one.fired).length;
    return { fault, asking: asking.length, fired, others: own.length - asking.length };
  });
}

/** By kind, the first word of a name; the most frequent first. */
function rowsOf(counts: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  return [...counts].sort(([a, countOfA], [b, countOfB]) => {
    const [kindOfA = '', kindOfB = ''] = [a.split(' ')[0], b.split(' ')[0]];
    return kindOfA === kindOfB ? countOfB - countOfA : kindOfA < kindOfB ? -1 : 1;
  });
}

function numberCell(count: number): string {
  return String(count).padStart(7);
}
