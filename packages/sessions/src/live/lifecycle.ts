import { type JsonValue, type OpenOptions, type Session, type SessionRecord, VarveError } from '@varve/core';
import { emitEvent, stateOfSession } from '@varve/core/host';
import { runningSlot } from '../child-journal/running-slot.ts';
import { agentOfKey } from '../generation/agent-of-key.ts';
import {
  beginGeneration,
  type GenerationNames,
  makeCurrent,
  putAway,
  stateOf,
} from '../generation/begin-generation.ts';
import { currentOf, lastCurrentOf } from '../generation/generations.ts';
import { eventBaseOf } from '../generation/session-events.ts';
import { type Carried, type ResetKind, securitySettings } from '../settings/carry-over.ts';
import { type ArchiveOptions, type ArchiveParts, archiveKey } from './archive-key.ts';
import type { Hands, LiveSessions } from './live-sessions.ts';
import { requireGeneration, unknownGeneration } from './require-generation.ts';

/** How a conversation is begun anew. */
export interface ResetOptions {
  /** A word for programs and for the event: `daily`, `idle`, `command` for a trigger, or the host's own. */
  readonly reason: string;
  /** Whether somebody asked for it, or a policy decided on it. Says what is carried over. @default 'explicit' */
  readonly kind?: ResetKind | undefined;
  /** Who asked for it, for the event. @default nobody */
  readonly by?: string | undefined;
  /** Settings that the new generation begins with, beside what is carried over. Not `send` and `incognito`. */
  readonly settings?: Readonly<Record<string, JsonValue>> | undefined;
  /** Records that the new generation begins with, by `owner:kind`. They go into no later one. @default none */
  readonly records?: OpenOptions['records'];
  /** What is said of the conversation from now on. @default what was said before */
  readonly names?: Omit<GenerationNames, 'settings' | 'state'> | undefined;
  /** Whether turns that run are aborted; they are waited for otherwise. @default true for an explicit reset */
  readonly abort?: boolean | undefined;
  /**
   * Asked when nobody works with the conversation any more, before anything is changed: with `false`, nothing is. While
   * the reset waited, somebody else may have reset it, or written. @default it is reset
   */
  readonly confirm?: ((session: Session) => Promise<boolean>) | undefined;
}

/** What became of a reset. */
export interface ResetResult {
  /** The current generation from now on. */
  readonly sessionId: string;
  /** The one before; `null` where there was none, and where nothing was reset. */
  readonly previousSessionId: string | null;
  /** Whether there is a new generation: not where `confirm` said `false`. */
  readonly isReset: boolean;
}

/** How a conversation is begun with what another one holds. */
export interface ForkKeyOptions extends Omit<GenerationNames, 'state'> {
  /** Key of the new conversation: one that has no current generation. */
  readonly newKey: string;
  /** Id of the last entry that both share. @default the last one that is stored */
  readonly at?: string | undefined;
  /** Most tokens of what the fork is made of. @default no limit */
  readonly mostTokens?: number | undefined;
}

/** What begins, ends and changes the generations of conversations. */
export interface Lifecycle {
  /**
   * Begins a new generation. What was carried over stands in its first append; at each moment, also when the process is
   * killed, exactly one generation is the current one. The events come when all is durable.
   */
  reset(keyText: string, options: ResetOptions): Promise<ResetResult>;
  /**
   * Lets an earlier generation of the key go on. What the last one said of security holds in it, too.
   *
   * @throws VARVE_SESSION_UNKNOWN  when the key has no such generation.
   */
  restore(
    keyText: string,
    sessionId: string,
  ): Promise<{ readonly sessionId: string; readonly previousSessionId: string | null }>;
  /**
   * Puts a generation away: it can be read, listed and restored. What is said next begins a new one, with the security
   * settings of this one. Gives which one it was; `null` where there is none.
   *
   * @throws VARVE_SESSION_UNKNOWN  when the key has no such generation; VARVE_CHILDREN_RUNNING  without `cascade`, while
   *   sub-agents work for the current one.
   */
  archive(keyText: string, options?: ArchiveOptions): Promise<{ readonly sessionId: string | null }>;
  /**
   * Begins a conversation under another key with what the current generation of this one holds. Whoever works with this
   * one goes on.
   *
   * @throws VARVE_SESSION_UNKNOWN  when this key has no current generation; VARVE_KEY_TAKEN  when the new one has;
   *   VARVE_FORK_TOO_LARGE, VARVE_ENTRY_UNKNOWN
   */
  fork(keyText: string, options: ForkKeyOptions): Promise<{ readonly sessionId: string; readonly keyText: string }>;
  /** Aborts the turns of a conversation, which stays as it is; `false` where none runs or waits. */
  abort(keyText: string, reason?: string): boolean;
}

/** What it works with. */
export interface LifecycleParts extends ArchiveParts {
  readonly live: LiveSessions;
}

/** Makes it. */
export function createLifecycle(parts: LifecycleParts): Lifecycle {
  const { live } = parts;
  return {
    reset: async (keyText, options) => {
      checkSettings(options.settings);
      const { kind = 'explicit', reason, abort = kind === 'explicit' } = options;
      const stopping = abort ? { abort: `The conversation was reset: ${reason}.` } : {};
      return live.change(keyText, (hands) => reset(parts, hands, { ...options, kind, keyText }), stopping);
    },
    restore: (keyText, sessionId) => live.change(keyText, (hands) => restore(parts, hands, { keyText, sessionId })),
    archive: (keyText, options = {}) => archiveKey(parts, keyText, options),
    fork: (keyText, options) => fork(parts, keyText, options),
    abort: (keyText, reason) => live.awake(keyText)?.abort(reason) ?? false,
  };
}

async function reset(
  parts: LifecycleParts,
  hands: Hands,
  asked: ResetOptions & { readonly kind: ResetKind; readonly keyText: string },
): Promise<ResetResult> {
  const { keyText, kind, reason, by = null, settings, records, names, confirm } = asked;
  const old = await hands.current();
  if (old !== null && confirm !== undefined && !(await confirm(old))) {
    return { sessionId: old.sessionId, previousSessionId: null, isReset: false };
  }
  const last = await lastState(parts, { keyText, current: old });
  const carried = parts.carryOver.carry(last, kind);
  const previous = last.record;
  // The one before stays open, and locked, until it is not the current one any more: no other process takes it up.
  const session = await beginGeneration(parts, {
    keyText,
    previous,
    names: { ...names },
    carried: { ...carried, settings: { ...carried.settings, ...settings } },
    records,
  });
  await putAway(parts, previous, 'reset');
  await hands.sleep();
  hands.keep(session);
  const previousSessionId = previous?.sessionId ?? null;
  emitEvent(parts.host, 'session-reset', { ...eventBaseOf(session.info()), previousSessionId, reason, by });
  return { sessionId: session.sessionId, previousSessionId, isReset: true };
}

/** What the generation that goes on, or that was the last to, ends with. */
async function lastState(
  parts: LifecycleParts,
  { keyText, current }: { readonly keyText: string; readonly current: Session | null },
): Promise<Carried & { readonly record: SessionRecord | null }> {
  if (current !== null) return { ...stateOfSession(current), record: current.info() };
  const record = lastCurrentOf(await parts.generations.all(keyText));
  return record === null ? { settings: {}, state: {}, record } : { ...(await stateOf(parts, record)), record };
}

async function restore(
  parts: LifecycleParts,
  hands: Hands,
  { keyText, sessionId }: { readonly keyText: string; readonly sessionId: string },
): Promise<{ readonly sessionId: string; readonly previousSessionId: string | null }> {
  const { host, clock, carryOver } = parts;
  await requireGeneration(parts, { keyText, sessionId });
  const current = await hands.current();
  if (current?.sessionId === sessionId) return { sessionId, previousSessionId: null };
  const last = await lastState(parts, { keyText, current });
  const session = await host.open(sessionId, { key: keyText });
  try {
    // Before it is the current one: there is no moment in which less is forbidden than there was.
    for (const [name, value] of Object.entries(carryOver.security([last, session.view], clock.now()))) {
      if (JSON.stringify(session.view.settings[name] ?? null) !== JSON.stringify(value)) await session.set(name, value);
    }
    await makeCurrent(parts, { sessionId, previous: last.record, now: clock.now() });
  } catch (error) {
    await session.close().catch(() => undefined);
    throw error;
  }
  if (last.record?.sessionId !== sessionId) await putAway(parts, last.record, 'replaced');
  await hands.sleep();
  hands.keep(session);
  const previousSessionId = last.record?.sessionId ?? null;
  emitEvent(host, 'session-restored', { ...eventBaseOf(session.info()), previousSessionId });
  return { sessionId, previousSessionId };
}

async function fork(
  parts: LifecycleParts,
  keyText: string,
  { newKey, at, mostTokens, settings, ...names }: ForkKeyOptions,
): Promise<{ readonly sessionId: string; readonly keyText: string }> {
  const { host, generations, live, carryOver, clock } = parts;
  checkSettings(settings);
  const source = await generations.current(keyText);
  if (source === null) throw unknownGeneration(keyText, null);
  return live.change(newKey, async (hands) => {
    const known = await generations.all(newKey);
    if (currentOf(known) !== null) throw takenError(newKey);
    const newSessionId = parts.randomId();
    // What is forbidden now is forbidden in a fork of an earlier moment, too, and so is what was under its own key.
    const previous = lastCurrentOf(known);
    const states = [source, ...(previous === null ? [] : [previous])].map((record) => stateOf(parts, record));
    const security = carryOver.security(await Promise.all(states), clock.now());
    const agentId = agentOfKey(newKey);
    const forked = {
      agentId,
      ...names,
      ...(previous === null ? {} : { previousSessionId: previous.sessionId }),
      key: newKey,
      newSessionId,
      at,
      mostTokens,
      settings: { ...settings, ...security },
      // The sub-agents of the other one work for that one alone.
      state: { [runningSlot]: null },
    };
    const session = await host.fork(source.sessionId, forked);
    try {
      await makeCurrent(parts, { sessionId: newSessionId, previous, now: clock.now() });
    } catch (error) {
      await session.close().catch(() => undefined);
      throw error;
    }
    hands.keep(session);
    emitEvent(host, 'session-forked', { ...eventBaseOf(session.info()), fromSessionId: source.sessionId });
    return { sessionId: newSessionId, keyText: newKey };
  });
}

/** Security settings are said in the session, where who may say them is known. */
function checkSettings(settings: Readonly<Record<string, JsonValue>> = {}): void {
  const name = securitySettings.find((one) => Object.hasOwn(settings, one));
  if (name === undefined) return;
  throw new VarveError('VARVE_OPTION_INVALID', `The setting "${name}" cannot be given here: it is carried over.`, {
    fix: `Set "${name}" in the session afterwards.`,
    details: { path: `settings.${name}` },
  });
}

function takenError(keyText: string): VarveError {
  return new VarveError('VARVE_KEY_TAKEN', `A conversation goes on under the key "${keyText}".`, {
    fix: 'Fork under another key, or archive that conversation first.',
    details: { keyText },
  });
}
