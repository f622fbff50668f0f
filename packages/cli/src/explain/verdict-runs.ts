import type { EntryExplanation, Seq, Tokens, VerdictKind } from '@varve/core';

/** Neighbouring entries with the same verdict. */
export interface VerdictRun<One extends EntryExplanation = EntryExplanation> {
  readonly fromSeq: Seq;
  readonly toSeq: Seq;
  readonly entries: readonly One[];
  readonly tokens: Tokens;
}

/** How many entries have a verdict, and what they cost whole. */
export interface VerdictTotal {
  readonly verdict: VerdictKind;
  readonly entries: number;
  readonly tokens: Tokens;
}

/** Shorter runs are worth a line an entry. */
const shortestRun = 4;

/** Puts entries together whose verdict repeats; with `all`, every entry is a run of its own. */
export function verdictRuns<One extends EntryExplanation>(
  entries: readonly One[],
  { all }: { readonly all: boolean },
): readonly VerdictRun<One>[] {
  const runs: One[][] = [];
  for (const entry of entries) {
    const last = runs.at(-1);
    if (!all && last?.[0] !== undefined && entryText(last[0]) === entryText(entry)) last.push(entry);
    else runs.push([entry]);
  }
  return runs.flatMap((run) => (run.length < shortestRun ? run.map((entry) => runOf([entry])) : [runOf(run)]));
}

/** Totals by verdict, the most frequent first. */
export function verdictTotals(entries: readonly EntryExplanation[]): readonly VerdictTotal[] {
  const totals = new Map<VerdictKind, { entries: number; tokens: Tokens }>();
  for (const { verdict, tokens } of entries) {
    const total = totals.get(verdict.kind) ?? { entries: 0, tokens: 0 };
    totals.set(verdict.kind, { entries: total.entries + 1, tokens: total.tokens + tokens });
  }
  return [...totals].map(([verdict, total]) => ({ verdict, ...total })).sort((a, b) => b.entries - a.entries);
}

/** A verdict in words: `cleared by ttl-pruning (soft-trim)`. */
export function verdictText({ verdict: { kind, rule, by } }: Pick<EntryExplanation, 'verdict'>): string {
  return `${kind}${by === undefined ? '' : ` by ${by}`}${rule === undefined ? '' : ` (${rule})`}`;
}

/** What became of an entry, and who quoted it besides: `summarised by #12, recalled by recall`. */
export function entryText(entry: Pick<EntryExplanation, 'verdict' | 'recalledBy'>): string {
  const { recalledBy = [] } = entry;
  return [verdictText(entry), ...recalledBy.map((plugin) => `recalled by ${plugin}`)].join(', ');
}

function runOf<One extends EntryExplanation>(entries: readonly One[]): VerdictRun<One> {
  const seqs = entries.map(({ seq }) => seq);
  const tokens = entries.reduce((sum, entry) => sum + entry.tokens, 0);
  return { fromSeq: seqs[0] ?? 0, toSeq: seqs.at(-1) ?? 0, entries, tokens };
}
