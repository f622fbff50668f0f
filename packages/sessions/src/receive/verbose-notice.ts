import type { CompactOutcome, SessionView } from '@varve/core';

/** Compactions that nobody asked for. */
const automatic: readonly string[] = ['threshold', 'overflow', 'background'];

/** Whether people of the conversation want to be told what else happens. */
export function isVerbose({ settings }: Pick<SessionView, 'settings'>): boolean {
  return settings['verbose'] === true;
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
