import type { Tokens } from '../units.ts';
import type { Item } from './draft.ts';
import { bytesOfMessage } from './draft-bytes.ts';

/** Unanswered user messages are live as far as they take this share of what a rebuilt prompt may hold: see decision 9. */
const liveShare = 0.5;

/** The last answer for a list of items: consecutive requests ask for the same. */
const answers = new WeakMap<readonly Item[], { readonly room: LiveRoom; readonly items: readonly Item[] }>();

/** What a prompt may hold; `Infinity` for no limit. */
interface LiveRoom {
  /** Of a rebuilt prompt, above its fixed part. */
  readonly tokens: Tokens;
  readonly bytes: number;
}

/**
 * The items with fewer of them live where the running turn begins with more user messages than there is room for: of
 * these the newest words of the user stay live, and those before them as far as they fit. All behind them stays live too.
 */
export function limitLive(items: readonly Item[], room: LiveRoom): readonly Item[] {
  const known = answers.get(items);
  if (known?.room.tokens === room.tokens && known.room.bytes === room.bytes) return known.items;
  // Notes are never live, wherever they stand.
  const from = items.findLastIndex((item) => !item.live && item.note === null) + 1;
  // A result without a call stands on the user's side too, and is no message of the user.
  const newest = items.findLastIndex((item) => item.said);
  const start = startWithin(items, { from, newest, room });
  const limited =
    start === from ? items : items.map((item, index) => withLive(item, index >= start && item.note === null));
  answers.set(items, { room, items: limited });
  return limited;
}

function withLive(item: Item, live: boolean): Item {
  return item.live === live ? item : Object.freeze({ ...item, live });
}

/** Index of the first user message from `from` on with which those up to the newest words fit. */
function startWithin(
  items: readonly Item[],
  { from, newest, room }: { readonly from: number; readonly newest: number; readonly room: LiveRoom },
): number {
  let start = newest;
  let tokens = 0;
  let bytes = 0;
  for (let index = newest; index >= from; index -= 1) {
    const item = items[index];
    if (item === undefined) break;
    if (item.note === null) {
      tokens += item.tokens;
      bytes += room.bytes === Infinity ? 0 : bytesOfMessage(item.message);
    }
    const fits = tokens <= room.tokens * liveShare && bytes <= room.bytes * liveShare;
    if (index < newest && !fits) break;
    // Half an answer is none to begin with.
    if (item.message.role === 'user') start = index;
  }
  return Math.max(start, from);
}
