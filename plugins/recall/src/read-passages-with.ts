import { createLexicalIndex, type ToolContext, termsOfText } from '@varve/core';
import { dayOf } from './day-of.ts';
import { eachPassage, type Passage } from './passages-of-entry.ts';
import type { SeqRange } from './session-index.ts';
import { stretchesBackwards } from './stretches-backwards.ts';
import { createSharedTime, turnOfOthers } from './turn-of-others.ts';

/** What came of reading. */
interface ReadHits {
  /** The best first. */
  readonly found: readonly Pick<Passage, 'seq' | 'ordinal'>[];
  /** True when not all was read: the time was up, or enough was found. */
  readonly isCut: boolean;
}

/** Passages with words of the query that are held at once; beyond it the oldest fall out. */
const mostHeld = 10_000;

/**
 * Reads entries for passages with words of a query, from the newest backwards: what no index has. For half of the time until
 * the deadline. Nothing of it is kept.
 */
export async function readPassagesWith(
  query: string,
  search: {
    readonly range: SeqRange;
    readonly limit: number;
    readonly context: ToolContext;
    readonly skips: ReadonlySet<string>;
  },
): Promise<ReadHits> {
  const { range, limit, context, skips } = search;
  const terms = new Set(termsOfText(query));
  if (range.fromSeq > range.toSeq || terms.size === 0) return { found: [], isCut: false };
  const until = context.now() + (context.deadline - context.now()) / 2;
  const index = createLexicalIndex();
  const time = createSharedTime();
  const places: Pick<Passage, 'seq' | 'ordinal'>[] = [];
  const count = (text: string): number => context.countTokens(text);
  const isLate = (): boolean => context.now() > until || context.signal.aborted;
  let isCut = false;
  for (const stretch of stretchesBackwards(range, context.session)) {
    for await (const entry of context.readEntries(stretch)) {
      isCut ||= isLate();
      if (isCut) break;
      if (entry.type !== 'message') continue;
      for (const { seq, ordinal, speaker, lines } of eachPassage(entry, { count, skips })) {
        const text = `${speaker} ${dayOf(entry.at)} ${lines.join('\n')}`;
        if (termsOfText(text).some((term) => terms.has(term))) {
          index.add({ id: places.length, text });
          places.push({ seq, ordinal });
        }
        if (time.isUp(text.length)) await turnOfOthers();
      }
    }
    isCut ||= places.length >= mostHeld && stretch.fromSeq > range.fromSeq;
    if (isCut) break;
  }
  const found = index.search(query, { limit }).flatMap(({ id }) => places[Number(id)] ?? []);
  return { found, isCut };
}
