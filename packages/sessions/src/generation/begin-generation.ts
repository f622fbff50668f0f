import { type Clock, type Host, type OpenOptions, type Session, type SessionRecord, VarveError } from '@varve/core';
import { emitEvent, messageOfError, stateOfSession } from '@varve/core/host';
import type { Carried, CarryOver } from '../settings/carry-over.ts';
import { agentOfKey } from './agent-of-key.ts';
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

const nothing: Carried = { settings: {}, state: {} };

/**
 * Begins a generation and makes it the current one. The order is what a crash leaves right: what is carried over stands
 * in the first append; until the record says since when it is current, the one before is; and only then that one is put
 * away, which the next to wake the conversation does where nobody did.
 *
 * @throws what the host and its store throw; the generation before is the current one then.
 */
export async function beginGeneration(parts: GenerationParts, begun: NewGeneration): Promise<Session> {
  const { host, clock, randomId } = parts;
  const { keyText, previous, names, carried, records } = begun;
  const session = await host.open(randomId(), {
    agentId: agentOfKey(keyText),
    ...(previous === null ? {} : namesOf(previous)),
    ...names,
    key: keyText,
    settings: { ...names.settings, ...carried.settings },
    state: { ...names.state, ...carried.state },
    records,
    ...(previous === null ? {} : { previousSessionId: previous.sessionId }),
  });
  try {
    await makeCurrent(parts, { sessionId: session.sessionId, previous, now: clock.now() });
  } catch (error) {
    await session.close().catch(() => undefined);
    throw error;
  }
  return session;
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
  if (record === null || record.state === 'archived') return;
  try {
    const archived = await host.sessions.patch(record.sessionId, { state: 'archived' });
    emitEvent(host, 'session-archived', { ...eventBaseOf(archived), reason });
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
  const known = await parts.generations.all(keyText);
  const current = currentOf(known);
  if (current !== null) return { session: await openCurrent(parts, current, known), isNew: false };
  if (names === null) return null;
  const previous = lastCurrentOf(known);
  const carried = previous === null ? nothing : await carriedFrom(parts, previous);
  return { session: await beginGeneration(parts, { keyText, previous, names, carried }), isNew: true };
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
