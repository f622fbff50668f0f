import type { Tokens } from '../units.ts';
import type { Item } from './draft.ts';

/** Unanswered user messages are live as far as they take this share of what a rebuilt prompt may hold: see decision 9. */
const liveShare = 0.5;

/** The last answer for a list of items: consecutive requests ask for the same. */
const answers = new WeakMap<readonly Item[], { readonly room: Tokens; readonly items: readonly Item[] }>();

/**
 * The items with fewer of them live where the running turn begins with more user messages than there is room for: of
 * these the newest words of the user stay live, and those before them as far as they fit. All behind them stays live too.
 *
 * @param room  Tokens that a rebuilt prompt may hold above its fixed part; `Infinity` for no limit.
 */
export function limitLive(items: readonly Item[], room: Tokens): readonly Item[] {
  const known = answers.get(items);
  if (known?.room === room) return known.items;
  const from = items.findLastIndex((item) => !item.live) + 1;
  // A result without a call stands on the user's side too, and is no message of the user.
  const newest = items.findLastIndex((item) => item.said);
  const start = startWithin(items, { from, newest, most: room * liveShare });
  const limited = start === from ? items : items.map((item, index) => withLive(item, index >= start));
  answers.set(items, { room, items: limited });
  return limited;
}

function withLive(item: Item, live: boolean): Item {
  return item.live === live ? item : Object.freeze({ ...item, live });
}

/** Index of the first user message from `from` on with which those up to the newest words fit. */
function startWithin(
  items: readonly Item[],
  { from, newest, most }: { readonly from: number; readonly newest: number; readonly most: Tokens },
): number {
  let start = newest;
  let tokens = items[start]?.tokens ?? 0;
  while (start > from && tokens + (items[start - 1]?.tokens ?? 0) <= most) {
    start -= 1;
    tokens += items[start]?.tokens ?? 0;
  }
  return Math.max(start, from);
}
