import type { CompactOutcome, TurnRecord } from '@varve/core';
import { type AnsweringModels, type ChoosingView, defaultsFor } from '../settings/session-models.ts';
import { type VerboseLevel, verboseOfSetting } from '../settings/setting-values.ts';

/** Compactions that nobody asked for. */
const automatic: readonly string[] = ['threshold', 'overflow', 'background'];

/** How much people of the conversation are told of what else happens. */
export function verboseLevelOf(view: ChoosingView, models: AnsweringModels | null): VerboseLevel {
  const { verbose } = view.settings;
  return verboseOfSetting(verbose) ?? verboseOfSetting(defaultsFor(view, models).verbose ?? undefined) ?? 'off';
}

/** What is told of the tools of a turn: `Called: grep, read ×2.` `null` for none. */
export function toolsNotice({ steps }: Pick<TurnRecord, 'steps'>): string | null {
  const times = new Map<string, number>();
  for (const { toolName } of steps.flatMap((step) => step.toolCalls)) {
    times.set(toolName, (times.get(toolName) ?? 0) + 1);
  }
  const called = [...times].map(([name, count]) => (count === 1 ? name : `${name} ×${count}`));
  return called.length === 0 ? null : `Called: ${called.join(', ')}.`;
}

/** What is told of a compaction: `Compacted: 84k → 12k tokens; a summary stands for #1 to #90.` `null` for none. */
export function compactionNotice({ entry, tokensBefore, tokensAfter }: CompactOutcome): string | null {
  if (entry === null || !automatic.includes(entry.trigger)) return null;
  const { from, to } = entry.range;
  return `Compacted: ${shortNumber(tokensBefore)} → ${shortNumber(tokensAfter)} tokens; a summary stands for #${from.seq} to #${to.seq}.`;
}

/** `12k`, `940`. */
function shortNumber(tokens: number): string {
  return tokens < 1_000 ? String(Math.round(tokens)) : `${Math.round(tokens / 1_000)}k`;
}
