import {
  type Clock,
  type Host,
  type Milliseconds,
  type OpenOptions,
  type Session,
  type SessionRecord,
  VarveError,
} from '@varve/core';
import { emitEvent, messageOfError, stateOfSession } from '@varve/core/host';
import type { Carried, CarryOver } from '../settings/carry-over.ts';
import { agentOfKey } from './agent-of-key.ts';
import { archiveGeneration } from './archive-generation.ts';
import { becameCurrentAt, currentOf, type Generations, lastCurrentOf } from './generations.ts';
import { eventBaseOf } from './session-events.ts';

/** What is said of a conversation when a generation of it is begun. */
export type GenerationNames = Pick<
  OpenOptions,
  'agentId' | 'channel' | 'chatType' | 'identity' | 'parentSessionKey' | 'label' | 'displayName' | 'settings' | 'state'
>;

/** What generations are begun with. */
export interface GenerationParts {
  readonly host: Host;
  readonly generations: Generations;
  readonly clock: Clock;
  readonly carryOver: CarryOver;
  /** Makes a new session id: a UUID. */
  randomId(): string;
}

/** A generation to be begun. */
export interface NewGeneration {
  readonly keyText: string;
  /** The one that was current last; `null` for the first. */
  readonly previous: SessionRecord | null;
  readonly names: GenerationNames;
  /** What it begins with of the one before. */
  readonly carried: Carried;
  /** Facts about its own beginning, stored with its first append: nothing of them is carried over. @default none */
  readonly records?: OpenOptions['records'];
}

/** How often somebody who begins a generation at the same time is looked for, before that is taken for cut short. */
const mostLooks = 100;

/** How long a beginning takes at most: one that is older was cut short. */
const beginningMs: Milliseconds = 60_000;

const nothing: Carried = { settings: {}, state: {} };

/**
 * Begins a generation and makes it the current one. The order is what a crash leaves right: what is carried over stands
 * in the first append; until the record says since when it is current, the one before is; and only then that one is put
 * away, which the next to wake the conversation does where nobody did.
 *
 * @throws what the host and its store throw; the generation before is the current one then.
 */
export async function beginGeneration(parts: GenerationParts, begun: NewGeneration): Promise<Session> {
  const session = await openGeneration(parts, begun);
  try {
    await makeCurrent(parts, { sessionId: session.sessionId, previous: begun.previous, now: parts.clock.now() });
  } catch (error) {
    await session.close().catch(() => undefined);
    throw error;
  }
  return session;
}

/** Opens the session of a generation that is not the current one yet. */
function openGeneration({ host, randomId }: GenerationParts, begun: NewGeneration): Promise<Session> {
  const { keyText, previous, names, carried, records } = begun;
  return host.open(randomId(), {
    agentId: agentOfKey(keyText),
    ...(previous === null ? {} : namesOf(previous)),
    ...names,
    key: keyText,
    settings: { ...names.settings, ...carried.settings },
    state: { ...names.state, ...carried.state },
    records,
    ...(previous === null ? {} : { previousSessionId: previous.sessionId }),
  });
}

/**
 * Begins a generation of a key that has no current one, unless somebody else does so at the same time, in another process:
 * `null` then, and nothing is left of this one but an archived beginning. Both write down that they begin before they look
 * whether the other does, so that one of them sees the other; and everybody puts the same one first.
 *
 * @param left  Ids of generations whose beginning was cut short: nobody goes on with them.
 */
async function beginUnlessOther(
  parts: GenerationParts,
  begun: NewGeneration,
  left: ReadonlySet<string>,
): Promise<Session | null> {
  const { clock, generations } = parts;
  const { keyText, previous } = begun;
  const session = await openGeneration(parts, begun);
  const { sessionId } = session;
  const othersOf = async (): Promise<readonly SessionRecord[]> =>
    (await generations.all(keyText)).filter((record) => {
      return record.state === 'open' && record.sessionId !== sessionId && !left.has(record.sessionId);
    });
  try {
    const others = await othersOf();
    const isLate = others.some((other) => becameCurrentAt(other) !== null || isFirst(other, session.info()));
    if (!isLate) {
      await makeCurrent(parts, { sessionId, previous, now: clock.now() });
      if (!(await isOvertaken(othersOf, session.info()))) return session;
    }
    await archiveGeneration(parts, session.info(), { reason: 'begun-elsewhere', wasNever: true });
  } catch (error) {
    await session.close().catch(() => undefined);
    throw error;
  }
  await session.close();
  return null;
}

/**
 * Whether another generation became the current one at the same time, and stays so. One that is not yet may see this one
 * and give way, or may not have: that is waited for.
 */
async function isOvertaken(othersOf: () => Promise<readonly SessionRecord[]>, own: SessionRecord): Promise<boolean> {
  for (let looks = 0; looks < mostLooks; looks += 1) {
    const first = (await othersOf()).filter((other) => isFirst(other, own));
    if (first.length === 0) return false;
    if (first.some((other) => becameCurrentAt(other) !== null)) return true;
  }
  return false;
}

/** Of two generations that are begun at once, which one stays. */
function isFirst(one: SessionRecord, other: SessionRecord): boolean {
  if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt;
  return one.sessionId < other.sessionId;
}

/** What is said of a conversation stays the same from one generation to the next, unless something else is said. */
function namesOf(record: SessionRecord): GenerationNames {
  const { agentId, channel, chatType, identity, parentSessionKey, label, displayName } = record;
  return {
    agentId,
    identity,
    ...(channel === null ? {} : { channel }),
    ...(chatType === null ? {} : { chatType }),
    ...(parentSessionKey === null ? {} : { parentSessionKey }),
    ...(label === null ? {} : { label }),
    ...(displayName === null ? {} : { displayName }),
  };
}

/** Makes a generation the current one of its key, also when the clock has jumped back since the one before. */
export async function makeCurrent(
  { host }: Pick<GenerationParts, 'host'>,
  made: { readonly sessionId: string; readonly previous: SessionRecord | null; readonly now: number },
): Promise<void> {
  const { sessionId, previous, now } = made;
  const before = previous === null ? null : becameCurrentAt(previous);
  const currentSince = before === null ? now : Math.max(now, before + 1);
  await host.sessions.patch(sessionId, { state: 'open', currentSince });
}

/** Puts a generation away that is not the current one any more. What fails is told: the next to wake the key tries again. */
export async function putAway(
  { host }: Pick<GenerationParts, 'host'>,
  record: SessionRecord | null,
  reason: string,
): Promise<void> {
  if (record === null) return;
  try {
    await archiveGeneration({ host }, record, { reason });
  } catch (error) {
    const text = `A generation that has ended could not be archived: ${messageOfError(error)}`;
    emitEvent(host, 'warning', { ...eventBaseOf(record), text });
  }
}

/**
 * The current generation of a key, open. Where there is none it is begun, with what may not be lost of the one that was
 * current last; with `names: null`, nothing is begun, and there is none.
 */
export async function wakeGeneration(
  parts: GenerationParts,
  { keyText, names }: { readonly keyText: string; readonly names: GenerationNames | null },
): Promise<{ readonly session: Session; readonly isNew: boolean } | null> {
  // One that somebody else begins at the same time is the current one as soon as that has written so.
  for (let looks = 0; ; looks += 1) {
    const known = await parts.generations.all(keyText);
    const current = currentOf(known);
    if (current !== null) return { session: await openCurrent(parts, current, known), isNew: false };
    if (names === null) return null;
    if (looks % mostLooks > 0) continue;
    const since = parts.clock.now() - beginningMs;
    const left = known
      .filter(({ state, createdAt }) => state === 'open' && (looks > 0 || createdAt < since))
      .map(({ sessionId }) => sessionId);
    const previous = lastCurrentOf(known);
    const carried = previous === null ? nothing : await carriedFrom(parts, previous);
    const session = await beginUnlessOther(parts, { keyText, previous, names, carried }, new Set(left));
    if (session !== null) return { session, isNew: true };
  }
}

/** Opens the current generation, and does what a crash may have left undone when it became that. */
async function openCurrent(
  parts: Pick<GenerationParts, 'host'>,
  current: SessionRecord,
  known: readonly SessionRecord[],
): Promise<Session> {
  const session = await parts.host.open(current.sessionId, current.key === null ? {} : { key: current.key });
  const left = known.filter(({ state, currentSince, sessionId }) => {
    return state === 'open' && currentSince !== null && sessionId !== current.sessionId;
  });
  for (const record of left) await putAway(parts, record, 'replaced');
  return session;
}

/** What a generation that has ended hands on to one that begins without being asked for. */
async function carriedFrom(parts: GenerationParts, previous: SessionRecord): Promise<Carried> {
  return parts.carryOver.carry(await stateOf(parts, previous), 'implicit');
}

/** What holds in a generation that need not be open; nothing where somebody has taken its journal away. */
export async function stateOf({ host }: Pick<GenerationParts, 'host'>, record: SessionRecord): Promise<Carried> {
  try {
    await using session = await host.open(record.sessionId, { readOnly: true });
    return stateOfSession(session);
  } catch (error) {
    if (!VarveError.is(error, 'VARVE_STORE_MISSING')) throw error;
    const text = 'The journal of the last generation is gone: nothing of its settings could be carried over.';
    emitEvent(host, 'warning', { ...eventBaseOf(record), text });
    return nothing;
  }
}
