import { type CommandReply, resetRequestOf, type Session } from '@varve/core';
import { takesLong } from '@varve/core/host';
import { answerSessionCommand } from './commands/session-commands.ts';
import { rememberHandled } from './handled-commands.ts';
import type { Taking } from './incoming.ts';
import { isKnownModel, unknownModelReply } from './known-models.ts';
import { storeMessage } from './store-message.ts';
import type { Asked, Taken } from './taken.ts';

/**
 * Takes a message that is not known: carries out what is a command, and remembers that; stores what is none. What takes
 * long, and what wants the conversation to begin anew, is left to the caller.
 *
 * @throws VARVE_INGEST_REFUSED, VARVE_PLUGIN_FAILED, VARVE_ABORTED, and what the store throws: nothing is stored then.
 */
export async function carryOutOrStore(session: Session, taking: Taking): Promise<Taken | Asked> {
  const { incoming, parts } = taking;
  const { models } = parts;
  const base = { sessionId: session.sessionId, reset: null };
  const { text } = incoming.inbound;
  if (takesLong(session, text)) return { ...base, kind: 'slow' };
  const reply = await answerCommand(session, taking);
  if (reply === null) return storeMessage(session, incoming, text);
  const request = resetRequestOf(reply);
  if (request !== null && isKnownModel(request.model, { view: session.view, models })) {
    return { kind: 'asked', reply, request };
  }
  await rememberHandled(session, incoming.key);
  return { ...base, kind: 'command', reply: request === null ? reply : unknownModelReply(request.model, models) };
}

/**
 * Carries a message out as a command, and says what it says; `null` for one that is none. What it asks for beside that,
 * and remembering that it was carried out, is left to the caller.
 *
 * @throws VARVE_ABORTED, and what the store throws.
 */
export async function answerCommand(session: Session, { parts, incoming }: Taking): Promise<CommandReply | null> {
  const { inbound, signal } = incoming;
  return answerSessionCommand(session, {
    text: inbound.text,
    sender: inbound.sender,
    isForAgent: inbound.chatType === 'direct' || inbound.addressed !== 'any',
    models: parts.models,
    model: parts.modelOf(session),
    tools: parts.toolsFor(session),
    signal,
  });
}
