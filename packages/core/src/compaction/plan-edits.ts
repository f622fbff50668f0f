import type { Draft, Group, Item } from '../draft/draft.ts';
import { parkText } from '../draft/park.ts';
import { madeUpPart } from '../draft/thread.ts';
import type { CompactionRange, Edit, MessageEntry } from '../journal/entry.ts';
import { type MessagePart, partsOfMessage } from '../message.ts';
import { isRecovered } from '../recovered-result.ts';
import { textOfOutput } from '../text-of-output.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import type { Tokens, Ulid } from '../units.ts';

/** A result is only masked when its text is longer than this: a mask costs about 20 tokens. */
const leastMaskedTokens = 60;

/** A message that takes more than this share of the room is shortened. */
export const heldShare = 0.25;

/** What edits are made from. */
export interface EditSource {
  readonly draft: Draft;
  readonly counter: TokenCounter;
  /** The visible entries by id. */
  readonly entries: ReadonlyMap<Ulid, MessageEntry>;
}

/** The groups of a draft, oldest first, with what masks would leave of them: worked out once, and only when asked. */
export interface MaskedGroups {
  readonly groups: readonly Group[];
  /** Edits that mask the old results of a group. */
  editsOf(index: number): readonly Edit[];
  /** Tokens of a group with those edits made. */
  tokensOf(index: number): Tokens;
}

/** Masks results that are older than `after` assistant messages; `null` masks none. */
export function maskOldResults(source: EditSource, after: number | null): MaskedGroups {
  const groups = source.draft.groups();
  const old = oldGroups(groups, after);
  const known = new Map<number, { readonly edits: readonly Edit[]; readonly tokens: Tokens }>();
  const maskedAt = (index: number): { readonly edits: readonly Edit[]; readonly tokens: Tokens } => {
    const group = groups[index];
    const masks = group !== undefined && old.has(group) ? group.items.flatMap((item) => maskItem(item, source)) : [];
    const saved = masks.reduce((tokens, mask) => tokens + mask.saved, 0);
    const masked = known.get(index) ?? { edits: masks.map(({ edit }) => edit), tokens: (group?.tokens ?? 0) - saved };
    known.set(index, masked);
    return masked;
  };
  return {
    groups,
    editsOf: (index) => (known.get(index) ?? maskedAt(index)).edits,
    tokensOf: (index) => (known.get(index) ?? maskedAt(index)).tokens,
  };
}

/** Groups with so many assistant messages behind them that their results may be masked. */
function oldGroups(groups: readonly Group[], after: number | null): ReadonlySet<Group> {
  const old = new Set<Group>();
  let assistantsBehind = 0;
  for (const group of groups.toReversed()) {
    if (!group.items.some((item) => item.message.role === 'assistant')) continue;
    if (after !== null && assistantsBehind >= after && !group.protected) old.add(group);
    assistantsBehind += 1;
  }
  return old;
}

function maskItem(
  item: Item,
  { counter, entries }: EditSource,
): readonly { readonly edit: Edit; readonly saved: Tokens }[] {
  const entry = entries.get(item.entryId ?? '');
  if (item.message.role !== 'tool' || entry === undefined || item.unread) return [];
  return item.message.content.flatMap((part, position) => {
    if (isRecovered(part)) return [];
    const text = textOfOutput(part.output);
    const tokens = counter.count(text);
    if (tokens < leastMaskedTokens) return [];
    const mask = `[${text.split('\n').length} lines, about ${tokens} tokens left out; the whole is in #${entry.seq}]`;
    const saved = tokens - counter.count(mask);
    if (saved <= 0) return [];
    const index = item.partIndexes[position] ?? position;
    const base = { entryId: entry.id, seq: entry.seq, part: index, rule: 'mask-old-result', text: mask };
    return [{ edit: { ...base, verdict: 'cleared' as const }, saved }];
  });
}

/** Shortens the message that a range holds when it would take too much of the room. */
export function shortenHeld(
  { counter, entries }: EditSource,
  { range, room }: { readonly range: CompactionRange; readonly room: Tokens },
): readonly Edit[] {
  const held = entries.get(range.held?.id ?? '');
  if (held === undefined || held.tokens.n <= room * heldShare) return [];
  const { content } = held.message;
  const texts = typeof content === 'string' ? [content] : content.map(textOfPart);
  return texts.flatMap((text, part) => parkEdit({ entry: held, part, text, counter, rule: 'park-held' }));
}

/** Shortens results of kept groups that the model has not read, or that would fill the room alone. */
export function parkGiants(
  { counter, entries }: EditSource,
  { masked, cut, room }: { readonly masked: MaskedGroups; readonly cut: number; readonly room: Tokens },
): readonly Edit[] {
  return masked.groups
    .slice(cut)
    .filter((group, index) => group.unread || masked.tokensOf(cut + index) > room * heldShare)
    .flatMap((group) => group.items)
    .flatMap((item) => {
      const entry = entries.get(item.entryId ?? '');
      if (entry?.message.role !== 'tool') return [];
      return partsOfMessage(item.message).flatMap((part, position) => {
        const index = item.partIndexes[position] ?? position;
        if (index === madeUpPart) return [];
        const text = part.type === 'tool-result' ? textOfOutput(part.output) : textOfPart(part);
        return parkEdit({ entry, part: index, text, counter, rule: 'park-unread' });
      });
    });
}

function textOfPart(part: MessagePart): string {
  return part.type === 'text' ? part.text : '';
}

function parkEdit(options: {
  readonly entry: MessageEntry;
  readonly part: number;
  readonly text: string;
  readonly counter: TokenCounter;
  readonly rule: string;
}): readonly Edit[] {
  const { entry, part, text, counter, rule } = options;
  const parked = parkText(text, { name: `#${entry.seq}`, counter });
  if (parked.length >= text.length) return [];
  return [{ entryId: entry.id, seq: entry.seq, part, rule, text: parked, verdict: 'parked' }];
}
