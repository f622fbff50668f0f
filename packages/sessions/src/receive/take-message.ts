import {
  type CommandReply,
  type Inbound,
  type ModelRef,
  type ResetRequest,
  resetRequestOf,
  type Session,
  type ToolSet,
} from '@varve/core';
import { askReset, messageOfKey, workOfSession } from '@varve/core/host';
import { addressOf, rememberAddress } from '../egress/return-address.ts';
import type { GenerationNames } from '../generation/begin-generation.ts';
import type { Lifecycle } from '../live/lifecycle.ts';
import type { LiveSessions } from '../live/live-sessions.ts';
import type { Route } from '../route/resolve-route.ts';
import type { SessionModels } from '../settings/session-models.ts';
import { provenanceOf } from './answer-message.ts';
import { begunBy, keyThatBegan } from './begun-by.ts';
import { answerSessionCommand } from './commands/session-commands.ts';
import type { EarlierGenerations } from './earlier-generations.ts';
import { isHandled, rememberHandled } from './handled-commands.ts';
import { isKnownModel, unknownModelReply } from './known-models.ts';
import type { ReceivedReset } from './received.ts';

/** What messages are taken with. */
export interface TakeParts {
  readonly live: LiveSessions;
  readonly lifecycle: Pick<Lifecycle, 'reset'>;
  readonly earlier: EarlierGenerations;
  /** `null` where nobody answers. */
  readonly models: SessionModels | null;
  /** The tools of a session beside those of plugins: they count in what commands show. */
  toolsFor(session: Session): ToolSet;
  /** The model of a session, for commands that are about its prompts. */
  modelOf(session: Session): ModelRef;
}

/** A message on its way into its conversation. */
export interface Incoming {
  readonly inbound: Inbound;
  readonly route: Route;
  readonly names: GenerationNames;
  /** What it is stored under. */
  readonly key: string;
  readonly signal: AbortSignal | undefined;
  /** Whether anything goes on in the conversation: it is not begun anew meanwhile. */
  isBusy(): boolean;
  /** Ends what goes on: somebody wants the conversation to begin anew. */
  abort(reason: string): void;
}

/** What became of a message before anybody answers it. */
export type Taken = { readonly sessionId: string; readonly reset: ReceivedReset | null } & (
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'message'; readonly seq: number; readonly isKnown: boolean; readonly isBegun: boolean }
  | { readonly kind: 'command'; readonly reply: CommandReply }
  | {
      readonly kind: 'begun';
      readonly reply: CommandReply;
      readonly greeting: string | null;
      /** The command was delivered before. */
      readonly isKnown: boolean;
    }
  /** A command that takes long: it is carried out beside what comes next. */
  | { readonly kind: 'slow' }
);

type Looked =
  | Taken
  | { readonly kind: 'stale'; readonly reason: string; readonly text: string }
  | { readonly kind: 'asked'; readonly reply: CommandReply; readonly request: ResetRequest; readonly isDone: boolean };

/**
 * Takes a message: finds out whether it is known, whether the conversation ends before it, and whether it is a command;
 * else stores it. When this resolves, what it changed is durable. No model is asked.
 *
 * @throws VARVE_INGEST_REFUSED, VARVE_PLUGIN_FAILED, VARVE_ABORTED, and what the store throws: nothing is stored then.
 */
export async function takeMessage(parts: TakeParts, incoming: Incoming): Promise<Taken> {
  const { keyText } = incoming.route;
  const use = <Result>(work: (session: Session) => Promise<Result>): Promise<Result> =>
    parts.live.use(keyText, work, incoming.names);
  const looked = await use((session) => look(session, { parts, incoming, asks: true }));
  if (looked.kind === 'asked') return beginAnew(parts, incoming, looked);
  if (looked.kind !== 'stale') return looked;
  const { reason, text } = looked;
  const result = await parts.lifecycle.reset(keyText, {
    reason,
    kind: 'implicit',
    settings: begunBy(reason, incoming.key),
    confirm: async (session) => (await askReset(session, { inbound: incoming.inbound })) !== null,
  });
  const reset = result.isReset ? { reason, text, previousSessionId: result.previousSessionId } : null;
  const again = await use((session) => look(session, { parts, incoming, asks: false }));
  if (again.kind === 'stale') throw new Error('It was not asked.');
  return again.kind === 'asked' ? beginAnew(parts, incoming, again) : { ...again, reset };
}

interface Looking {
  readonly parts: TakeParts;
  readonly incoming: Incoming;
  /** Whether the conversation may turn out to have ended. */
  readonly asks: boolean;
}

async function look(session: Session, looking: Looking): Promise<Looked> {
  const { parts, incoming, asks } = looking;
  const { key, inbound } = incoming;
  const { sessionId, view } = session;
  const base = { sessionId, reset: null };
  const known = await messageOfKey(session, key);
  if (known !== null) return { ...base, kind: 'message', seq: known.seq, isKnown: true, isBegun: false };
  if (isHandled(view, key)) return { ...base, kind: 'duplicate' };
  const isDone = keyThatBegan(view) === key;
  const earlier = isDone ? null : await parts.earlier.knowing(session.info(), key);
  if (earlier !== null) return { ...base, sessionId: earlier, kind: 'duplicate' };
  const isIdle = !incoming.isBusy() && workOfSession(session).turnId === null;
  // Where nothing has been said, there is nothing that could end.
  const mayEnd = asks && !isDone && isIdle && session.info().counters.messages > 0;
  const answer = mayEnd ? await askReset(session, { inbound, signal: incoming.signal }) : null;
  if (answer !== null) return { kind: 'stale', reason: answer.reason, text: answer.text ?? answer.reason };
  if (isSlow(inbound.text)) return { ...base, kind: 'slow' };
  const reply = await commandReply(session, { parts, incoming });
  if (reply === null) return { ...base, ...(await store(session, incoming, inbound.text)) };
  const request = resetRequestOf(reply);
  if (request === null || !isKnownModel(request.model, { view, models: parts.models })) {
    await rememberHandled(session, key);
    const { models } = parts;
    return { ...base, kind: 'command', reply: request === null ? reply : unknownModelReply(request.model, models) };
  }
  return { kind: 'asked', reply, request, isDone };
}

/** Begins the conversation anew, unless that was done when the command was delivered before. */
async function beginAnew(
  { live, lifecycle }: TakeParts,
  incoming: Incoming,
  asked: Extract<Looked, { kind: 'asked' }>,
): Promise<Taken> {
  const { route, inbound, key, names } = incoming;
  const { request, reply, isDone } = asked;
  const { reason, model, trigger, message, greeting } = request;
  let reset: ReceivedReset | null = null;
  if (!isDone) {
    incoming.abort(`The conversation was begun anew with ${trigger}.`);
    const settings = { ...begunBy(reason, key), ...(model === null ? {} : { model }) };
    const begun = await lifecycle.reset(route.keyText, { reason, kind: 'explicit', by: inbound.sender.id, settings });
    reset = { reason, text: `Begun anew with ${trigger}.`, previousSessionId: begun.previousSessionId };
  }
  return live.use(
    route.keyText,
    async (session) => {
      const base = { sessionId: session.sessionId, reset };
      if (message !== null) return { ...base, ...(await store(session, incoming, message)), isBegun: true };
      await rememberAddress(session, addressOf(inbound));
      return { ...base, kind: 'begun', reply, greeting, isKnown: isDone };
    },
    names,
  );
}

async function store(
  session: Session,
  { inbound, key, signal }: Incoming,
  text: string,
): Promise<{ readonly kind: 'message'; readonly seq: number; readonly isKnown: false; readonly isBegun: boolean }> {
  const content = withoutMark(text);
  const { seq } = await session.ingest({ role: 'user', content }, { key, signal, provenance: provenanceOf(inbound) });
  await rememberAddress(session, addressOf(inbound));
  return { kind: 'message', seq, isKnown: false, isBegun: false };
}

/** What is carried out beside what comes next; the reply of a command that takes long. */
export async function commandReply(
  session: Session,
  { parts, incoming }: { readonly parts: TakeParts; readonly incoming: Incoming },
): Promise<CommandReply | null> {
  const { inbound, signal } = incoming;
  return answerSessionCommand(session, {
    text: inbound.text,
    sender: inbound.sender,
    models: parts.models,
    model: parts.modelOf(session),
    tools: parts.toolsFor(session),
    signal,
  });
}

/** A summary may take minutes, and nobody is to wait for it. */
function isSlow(text: string): boolean {
  return /^\s*\/compact(?:\s|$)/i.test(text);
}

/** Two slashes are for a message that begins with one. */
function withoutMark(text: string): string {
  return text.replace(/^(\s*)\/(?=\/[a-z])/i, '$1');
}
