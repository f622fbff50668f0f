import {
  type HeadEntry,
  type Message,
  type MessageEntry,
  type Provenance,
  type Session,
  throwIfAborted,
  type Ulid,
  VarveError,
} from '@varve/core';
import { type Alignment, alignList, wholeGroups } from './align-list.ts';
import { keyOfUnit, type ListUnit, unitsOfList } from './list-unit.ts';
import type { ListedMessage } from './listed-message.ts';
import { type JournalPath, type PathUnit, pathOfSession } from './session-path.ts';

/** Options of {@link followMessageList}. */
export interface FollowListOptions {
  /**
   * What a list means that still ends as the journal does, but lacks or shortens what came before: its host has trimmed
   * it, cleared results of tools, or put a summary in place of its front.
   *
   * - `keep`: the journal keeps all of it, and only what is new at the end of the list is added. How much of it a prompt
   *   has room for is for the session to say, which can still find what the host has thrown away.
   * - `follow`: the journal does as the list does, whatever that is. For hosts whose users take messages out of the
   *   middle of a conversation.
   *
   * What is taken back at the end of a list is followed in both.
   *
   * @default 'keep'
   */
  readonly onShorter?: 'follow' | 'keep' | undefined;
  /** Ends the work between two messages; the next call goes on from there. */
  readonly signal?: AbortSignal | undefined;
}

/** What following a list has come to. */
export interface FollowedList {
  /**
   * The system messages at the front of the list, in order. They are not stored: send them before `prompt.system`, and
   * count them as what the host sends besides (`hostShare`).
   */
  readonly system: readonly string[];
  /** The entries of messages that were new. */
  readonly added: readonly MessageEntry[];
  /** The move that left what the list no longer has; `null` for none. */
  readonly moved: HeadEntry | null;
  /** True when the list had less than the journal, and the journal was kept (`onShorter`). */
  readonly isShorter: boolean;
}

const following = new WeakMap<Session, Promise<unknown>>();

/**
 * Brings a session to where the list of a host is. For hosts that hand over all their messages at each step, and know
 * nothing of a journal: call it with the whole list before each model call, then `session.assemble`.
 *
 * The list is held against what leads to the head of the journal, message by message, by what is said: reasoning and
 * provider options do not count, nor whether a text is one part or several, nor how results of tools are put into
 * messages. What is known is left alone, whatever plugins have made of it. What is new is ingested. Where the list
 * says something else (an edited message, another answer, an end that was taken back), the head is moved to the last
 * message that both have, and the rest is ingested; a call and its results are left together. Nothing is ever removed:
 * a host that comes back to what it had left (another branch, or a conversation after a call beside it) finds it again.
 * A message without any content is passed over, and so is an empty list.
 *
 * All that it knows it reads from the journal, so it goes on after a restart, and in another process. Calls for one
 * session run one after the other. Calling it twice with one list adds nothing. What others put into the session
 * beside the list (reports of sub-agents, messages of plugins and of other sessions) stays where it stands.
 *
 * One session is one conversation: a list that begins with something else takes all back that was said.
 *
 * @param messages  The whole list, oldest first.
 * @throws VARVE_MESSAGE_INVALID, VARVE_OPTION_INVALID, VARVE_INGEST_REFUSED, VARVE_SESSION_BUSY, VARVE_SESSION_CLOSED,
 *   VARVE_ABORTED  what was stored by then stays.
 */
export function followMessageList(
  session: Session,
  messages: readonly ListedMessage[],
  options: FollowListOptions = {},
): Promise<FollowedList> {
  return inTurn(session, async () => {
    const { system, units } = unitsOfList(messages);
    throwIfAborted(options.signal);
    const path = await pathOfSession(session);
    if (path.isEmpty && units.length > 0) await session.record('message-list:begun', {});
    const place = placeOfList(path, { list: units, keeps: options.onShorter !== 'follow' });
    const { moved, kept, next } = await moveTo(session, place);
    const added = await addUnits(session, units.slice(next), { kept, signal: options.signal });
    return { system, added, moved, isShorter: place.alignment.isShorter };
  });
}

/** What {@link addToList} is told of a message. */
export interface AddToListOptions {
  readonly signal?: AbortSignal | undefined;
}

/**
 * Adds one message behind all others, as the list will have it next time: a later {@link followMessageList} with a list
 * that ends with it adds nothing. For answers, which a host hands over only with its next list, if at all.
 *
 * @throws VARVE_MESSAGE_INVALID, VARVE_INGEST_REFUSED, VARVE_SESSION_CLOSED, VARVE_ABORTED
 */
export function addToList(
  session: Session,
  message: ListedMessage,
  { signal }: AddToListOptions = {},
): Promise<readonly MessageEntry[]> {
  return inTurn(session, async () => {
    const { units } = unitsOfList([message]);
    const path = await pathOfSession(session);
    return addUnits(session, units, { kept: path.units, signal });
  });
}

function inTurn<Result>(session: Session, work: () => Promise<Result>): Promise<Result> {
  const before = following.get(session) ?? Promise.resolve();
  const next = before.then(work);
  following.set(
    session,
    next.catch(() => undefined),
  );
  return next;
}

/** Where a list goes on in a journal: on the path to its head, or on one that was left. */
interface Place {
  readonly units: readonly PathUnit[];
  readonly alignment: Alignment;
  /** The head that is come back to, where all that leads to it is; `null` for a list that goes on from the head. */
  readonly left: { readonly endId: Ulid | null } | null;
}

/** The path that has the most of a list; the one to the head, where no other has more. */
function placeOfList(path: JournalPath, options: Parameters<typeof alignList>[1]): Place {
  const { units } = path;
  let place: Place = { units, alignment: alignList(units, options), left: null };
  if (options.list.length === place.alignment.next) return place;
  for (const left of path.left()) {
    // Only what a list has from its first message on shows which of them it is.
    const alignment = alignList(left.units, { ...options, keeps: false });
    if (alignment.next > place.alignment.next) place = { units: left.units, alignment, left };
  }
  return place;
}

/** What is left of a path, and where a list goes on behind it. */
interface Left {
  readonly moved: HeadEntry | null;
  readonly kept: readonly PathUnit[];
  readonly next: number;
}

/** Moves the head to where the list goes on: with all that stands there, such as a compaction, before what is left. */
async function moveTo(session: Session, place: Place): Promise<Left> {
  const { units, alignment, left } = place;
  const { cut, next, pairs } = alignment;
  const leaves = units[cut];
  if (leaves === undefined && left === null) return { moved: null, kept: units, next };
  const targetId = leaves === undefined ? (left?.endId ?? units.at(-1)?.ref.id) : leaves.parentId;
  if (targetId === undefined || targetId === null) throw unrelated();
  const moved = await session.moveHead(targetId, { reason: left === null ? 'rewind' : 'restore' });
  const listed = pairs.get(cut - 1);
  // Core sees a group that goes on behind the target, and has moved on to its end.
  if (moved.targetId !== targetId && listed !== undefined) {
    const earlier = wholeGroups(units, { ...alignment, cut: cut - 1, next: listed });
    return moveTo(session, { ...place, alignment: earlier });
  }
  return { moved, kept: units.filter(({ ref }) => ref.seq <= moved.targetSeq), next };
}

function unrelated(): VarveError {
  return new VarveError('VARVE_OPTION_INVALID', 'The list begins otherwise than the session, which begins with it.', {
    fix: 'Open another session for another conversation, or give the list that this session was begun with.',
    details: { path: 'messages' },
  });
}

async function addUnits(
  session: Session,
  units: readonly ListUnit[],
  { kept, signal }: { readonly kept: readonly PathUnit[]; readonly signal: AbortSignal | undefined },
): Promise<readonly MessageEntry[]> {
  const used = new Map<string, number>();
  for (const { fingerprint, occurrence } of kept) {
    if (fingerprint === null || occurrence === null) continue;
    used.set(fingerprint, Math.max(occurrence, used.get(fingerprint) ?? 0));
  }
  const added: MessageEntry[] = [];
  for (const { message, fingerprint, given } of units) {
    throwIfAborted(signal);
    const occurrence = (used.get(fingerprint) ?? -1) + 1;
    used.set(fingerprint, occurrence);
    const { provenance = defaultProvenance(message), usage } = given;
    const key = keyOfUnit(fingerprint, occurrence);
    added.push(await session.ingest(message, { key, provenance, usage, signal }));
  }
  return added;
}

/** Of a tool's result, which tool's; of anything else, what the session says by its role. */
function defaultProvenance(message: Message): Provenance | undefined {
  const [part] = message.role === 'tool' ? message.content : [];
  return part === undefined ? undefined : { kind: 'tool', tool: part.toolName };
}
