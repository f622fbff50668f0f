import { VarveError } from '../errors.ts';
import type { Edit, Verdict } from '../journal/entry.ts';
import { type FilePart, type ImagePart, type MessagePart, partsOfMessage } from '../message.ts';
import { imageSize } from '../tokens/image-size.ts';
import { applyEdits } from './apply-edits.ts';
import type { Draft, Group, Item } from './draft.ts';
import { byteShares, bytesOf, bytesOfMessage, hasByteRoom } from './draft-bytes.ts';
import { createDraft, parkGroups, stateOfDraft } from './draft-operations.ts';
import { droppableGroups } from './droppable-groups.ts';
import { madeUpPart } from './thread.ts';
import { withoutNotes } from './without-notes.ts';

const rule = 'byte-budget';

/** Media smaller than this, such as a URL, stay: a placeholder would be no shorter. */
const leastBytes = 1_000;

/**
 * Makes a draft that is near its byte limit smaller: a placeholder that names the entry stands for images and files, the
 * oldest first, before the running turn and then for what it has read of them; then the oldest groups are left out, and
 * all notes. If that is not enough, images and files go that the model has not read, then long results are shortened, and
 * as a last resort unread ones of earlier turns left out. The words and images of the user in the running turn stay.
 * Placeholders are sticky: later prompts have them, too.
 *
 * @throws VARVE_BUDGET_IMPOSSIBLE  when what must stay is larger than the limit.
 */
export function limitBytes(draft: Draft): Draft {
  if (hasByteRoom(draft)) return draft;
  const { inputBytes } = draft.budget;
  const old = replaceMedia(draft, (item) => !item.live && !item.unread && !item.protected);
  const read = replaceMedia(old, (item) => isOfTool(item) && !item.unread && !item.protected);
  const cut = dropOldest(read);
  if (bytesOf(cut) <= inputBytes) return cut;
  const bare = withoutNotes(cut, rule);
  if (bytesOf(bare) <= inputBytes) return bare;
  const rest = dropOldest(replaceMedia(withoutNotes(read, rule), (item) => !item.live || isOfTool(item)));
  if (bytesOf(rest) <= inputBytes) return rest;
  const parked = parkResults(rest);
  const least = dropOldest(parked, { unread: true });
  if (bytesOf(least) <= inputBytes) return least;
  throw impossible(least);
}

/** Shortens what is not the user's words, the oldest first, until the draft is within its limit. */
function parkResults(draft: Draft): Draft {
  const groups = draft.groups().filter(({ items: [first] }) => first?.message.role !== 'user' || !first.said);
  const park = (chosen: readonly Group[]): Draft =>
    parkGroups({ ...stateOfDraft(draft), actor: 'core' }, { groups: chosen, rule, unread: true });
  const saved = bytesSaved(draft, park(groups));
  let excess = bytesOf(draft) - draft.budget.inputBytes;
  const end = groups.findIndex(({ id }) => {
    if (excess <= 0) return true;
    excess -= saved.get(id) ?? 0;
    return false;
  });
  return park(end === -1 ? groups : groups.slice(0, end));
}

/** For each group, by how many bytes it is shorter in the other draft, which has the same items. */
function bytesSaved({ items }: Draft, shorter: Draft): ReadonlyMap<string, number> {
  const saved = new Map<string, number>();
  for (const [index, { groupId, message }] of items.entries()) {
    const other = shorter.items[index]?.message ?? message;
    if (other === message) continue;
    saved.set(groupId, (saved.get(groupId) ?? 0) + bytesOfMessage(message) - bytesOfMessage(other));
  }
  return saved;
}

function isOfTool({ message }: Item): boolean {
  return message.role === 'tool';
}

/** Replaces media, the oldest first, until the draft is far enough below its limit. */
function replaceMedia(draft: Draft, isOld: (item: Item) => boolean): Draft {
  const { inputBytes } = draft.budget;
  if (bytesOf(draft) <= byteShares.hard * inputBytes) return draft;
  const target = byteShares.target * inputBytes;
  const state = stateOfDraft(draft);
  const verdicts = new Map(state.verdicts);
  const stickyEdits = [...state.stickyEdits];
  let bytes = bytesOf(draft);
  const items = state.items.map((item) => {
    if (bytes <= target || !isOld(item)) return item;
    const edits = placeholdersIn(item);
    if (edits.length === 0 || item.seq === null) return item;
    const texts = new Map(edits.map(({ position, edit }) => [position, edit.text]));
    const message = applyEdits(item.message, texts);
    bytes += bytesOfMessage(message) - bytesOfMessage(item.message);
    verdicts.set(item.seq, strongest(verdicts.get(item.seq)));
    for (const { edit } of edits) stickyEdits.push({ by: 'core', edit });
    return Object.freeze({ ...item, message, tokens: state.counter.countMessage(message) });
  });
  return createDraft({ ...state, items, verdicts, stickyEdits });
}

/** What happened to the entry before counts more when more of it is gone. */
function strongest(before: Verdict | undefined): Verdict {
  return before?.kind === 'parked' ? before : { kind: 'cleared', rule, by: 'core' };
}

function placeholdersIn(item: Item): readonly { readonly position: number; readonly edit: Edit }[] {
  const { seq, entryId } = item;
  if (seq === null || entryId === null) return [];
  return partsOfMessage(item.message).flatMap((part, position) => {
    const index = item.partIndexes[position] ?? madeUpPart;
    const text = index === madeUpPart ? null : withoutMedia(part, seq);
    if (text === null) return [];
    return [{ position, edit: { entryId, seq, part: index, rule, text, verdict: 'cleared' as const } }];
  });
}

/** The text that stands for a part with media in it; `null` for any other part. */
function withoutMedia(part: MessagePart, seq: number): string | null {
  if (part.type === 'image' || part.type === 'file') return isLarge(part) ? placeholder(part, seq) : null;
  if (part.type !== 'tool-result' || part.output.type !== 'content') return null;
  const { value } = part.output;
  if (!value.some((one) => one.type !== 'text' && isLarge(one))) return null;
  return value.map((one) => (one.type === 'text' ? one.text : placeholder(one, seq))).join('\n');
}

function isLarge(part: ImagePart | FilePart): boolean {
  return dataOf(part).length >= leastBytes;
}

function dataOf(part: ImagePart | FilePart): string {
  return part.type === 'image' ? part.image : part.data;
}

function placeholder(part: ImagePart | FilePart, seq: number): string {
  const data = dataOf(part);
  const size = imageSize(data);
  const facts = [
    part.mediaType ?? part.type,
    ...(part.type === 'file' && part.filename !== undefined ? [part.filename] : []),
    ...(size === null ? [] : [`${size.width} × ${size.height}`]),
    `${Math.ceil((data.length * 3) / 4 / 1_000)} kB`,
  ];
  return `[${facts.join(', ')}: left out, the request would be too large; it is in #${seq}]`;
}

/** Leaves out the oldest groups, in steps, so that consecutive prompts begin with the same one. */
function dropOldest(draft: Draft, { unread = false }: { readonly unread?: boolean } = {}): Draft {
  const { inputBytes } = draft.budget;
  const step = (byteShares.hard - byteShares.target) * inputBytes;
  const excess = bytesOf(draft) - byteShares.hard * inputBytes;
  let wanted = Math.ceil(excess / step) * step;
  const ids: string[] = [];
  for (const group of droppableGroups(draft, { unread })) {
    if (wanted <= 0) break;
    ids.push(group.id);
    wanted -= group.items.reduce((sum, { message }) => sum + bytesOfMessage(message), 0);
  }
  return ids.length === 0 ? draft : createDraft({ ...stateOfDraft(draft), actor: 'core' }).drop(ids, rule);
}

function impossible(draft: Draft): VarveError {
  const { inputBytes } = draft.budget;
  const bytes = bytesOf(draft);
  const liveBytes = draft.items.reduce((sum, { live, message }) => (live ? sum + bytesOfMessage(message) : sum), 0);
  const stay = [...draft.items].sort((a, b) => bytesOfMessage(b.message) - bytesOfMessage(a.message)).slice(0, 10);
  return new VarveError(
    'VARVE_BUDGET_IMPOSSIBLE',
    `The prompt takes ${bytes} bytes, ${liveBytes} of them in the running turn; at most ${inputBytes} may be sent.`,
    {
      fix: 'Send smaller images and files, give their URLs, or raise inputBytes of the budget.',
      details: {
        bytes,
        liveBytes,
        budgetBytes: inputBytes,
        items: stay.map(({ id, message, tokens }) => ({
          id,
          role: message.role,
          bytes: bytesOfMessage(message),
          tokens,
        })),
      },
    },
  );
}
