import type { SeedResult } from './run-seed.ts';

/** What many transcripts came to. */
export interface LongTotals {
  readonly results: number;
  readonly failed: readonly SeedResult[];
  readonly messages: number;
  readonly prompts: number;
  readonly entries: number;
  /** For each feature, how many transcripts had it. */
  readonly features: ReadonlyMap<string, number>;
}

/** Nothing counted yet. */
export const noTotals: LongTotals = {
  results: 0,
  failed: [],
  messages: 0,
  prompts: 0,
  entries: 0,
  features: new Map(),
};

/** Adds the results of some seeds. */
export function addResults(totals: LongTotals, results: readonly SeedResult[]): LongTotals {
  const features = new Map(totals.features);
  for (const feature of results.flatMap((result) => result.features)) {
    features.set(feature, (features.get(feature) ?? 0) + 1);
  }
  const sumOf = (name: 'messages' | 'prompts' | 'entries'): number =>
    results.reduce((sum, result) => sum + result[name], totals[name]);
  return {
    results: totals.results + results.length,
    failed: [...totals.failed, ...results.filter(({ violations }) => violations.length > 0)],
    messages: sumOf('messages'),
    prompts: sumOf('prompts'),
    entries: sumOf('entries'),
    features,
  };
}

/** How many transcripts had each feature, by kind, as lines of text. */
export function formatTable({ results, features, messages, prompts, entries }: LongTotals): string {
  const rows = [...features].sort(([a, countOfA], [b, countOfB]) => {
    const [kindOfA = '', kindOfB = ''] = [a.split(' ')[0], b.split(' ')[0]];
    return kindOfA === kindOfB ? countOfB - countOfA : kindOfA < kindOfB ? -1 : 1;
  });
  const lines = rows.map(([feature, count]) => {
    const share = ((100 * count) / Math.max(1, results)).toFixed(1);
    return `${String(count).padStart(7)}  ${share.padStart(5)} %  ${feature}`;
  });
  const sums = `${messages} messages, ${entries} entries, ${prompts} prompts judged`;
  return ['transcripts  share  with', ...lines, sums].join('\n');
}

/** A failing seed with what is wrong and the operations that lead there. */
export function formatFailure({ seed, violations, prefix }: SeedResult): string {
  return [
    `seed ${seed} fails`,
    ...violations.map(({ rule, op, what }) => `  ${rule} at operation ${op}: ${what}`),
    `  smallest prefix that fails, ${prefix.length} operations:`,
    ...prefix.map((operation, index) => `    ${index} ${operation}`),
  ].join('\n');
}
