import type { MessageEntry } from '../journal/entry.ts';
import type { Seq } from '../units.ts';

/**
 * The messages in the order in which a model reads them: what a user said while an answer was being made stands behind
 * that answer, which knew nothing of it. Everything before the last answer or result keeps its place for good.
 */
export function inReadingOrder(entries: readonly MessageEntry[]): readonly MessageEntry[] {
  if (entries.every(({ promptSeq }) => promptSeq === undefined)) return entries;
  const ordered: MessageEntry[] = [];
  for (const entry of entries) {
    const late = entry.promptSeq === undefined ? [] : takeLate(ordered, entry.promptSeq);
    ordered.push(entry, ...late);
  }
  return ordered;
}

/** Takes the last messages of the user's side that came after `seq`. */
function takeLate(ordered: MessageEntry[], seq: Seq): readonly MessageEntry[] {
  const before = ordered.findLastIndex((entry) => entry.seq <= seq || entry.message.role !== 'user');
  return ordered.splice(before + 1);
}
