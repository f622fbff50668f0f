import type { Prompt } from '@varve/core';

/** Entries in a row of the journal that have one verdict, by one rule. */
export interface VerdictRun {
  readonly from: number;
  readonly to: number;
  readonly kind: string;
  readonly rule: string;
  readonly by: string;
  readonly tokens: number;
}

/** A manifest as runs, from the first entry of the journal to the last one. */
export function verdictRuns({ entries, ranges }: Prompt['manifest']): readonly VerdictRun[] {
  const singles = [
    ...ranges.map(({ fromSeq, toSeq, ...verdict }) => ({ from: fromSeq, to: toSeq, tokens: 0, ...verdict })),
    ...entries.map(({ seq, ...verdict }) => ({ from: seq, to: seq, ...verdict })),
  ].sort((one, other) => one.from - other.from);
  const runs: VerdictRun[] = [];
  for (const { from, to, kind, rule = '', by = '', tokens } of singles) {
    const last = runs.at(-1);
    const goesOn = last !== undefined && last.kind === kind && last.rule === rule && last.by === by;
    if (goesOn) runs[runs.length - 1] = { ...last, to, tokens: last.tokens + tokens };
    else runs.push({ from, to, kind, rule, by, tokens });
  }
  return runs;
}
