import type { ResetRequest } from '@varve/core';
import { addressOf, rememberAddress } from '../egress/return-address.ts';
import { begunBy } from './begun-by.ts';
import type { Taking } from './incoming.ts';
import type { ReceivedReset } from './received.ts';
import { storeMessage } from './store-message.ts';
import type { Asked, Taken } from './taken.ts';

/** How a conversation is begun anew. */
export interface Beginning {
  /** Whether the current generation was begun for the message already. */
  readonly isDone: boolean;
  /** The reset that was due before the message, and has just been done; `null` for none. */
  readonly due: ReceivedReset | null;
}

/** Begins a conversation anew for a command, unless that is done, and stores the message that came with it. */
export async function beginAnew(taking: Taking, asked: Asked, { isDone, due }: Beginning): Promise<Taken> {
  const { parts, incoming } = taking;
  const { request, reply } = asked;
  const { model, message, greeting } = request;
  const reset = isDone ? due : await resetFor(taking, request);
  const { route, inbound, names } = incoming;
  return parts.live.use(
    route.keyText,
    async (session) => {
      // What was due knew nothing of the command.
      if (due !== null && model !== null) await session.set('model', model);
      if (message !== null) return { ...(await storeMessage(session, incoming, message)), reset, isBegun: true };
      await rememberAddress(session, addressOf(inbound));
      return { sessionId: session.sessionId, reset, kind: 'begun', reply, greeting, isKnown: reset === null };
    },
    names,
  );
}

async function resetFor({ parts, incoming }: Taking, { reason, model, trigger }: ResetRequest): Promise<ReceivedReset> {
  const { route, inbound, key } = incoming;
  incoming.abort(`The conversation was begun anew with ${trigger}.`);
  const settings = model === null ? {} : { model };
  const records = begunBy(reason, key);
  const by = inbound.sender.id;
  const begun = await parts.lifecycle.reset(route.keyText, { reason, kind: 'explicit', by, settings, records });
  return { reason, text: `Begun anew with ${trigger}.`, previousSessionId: begun.previousSessionId };
}
