import type { Session } from '@varve/core';
import { askReset } from '@varve/core/host';
import { beginAnew } from './begin-anew.ts';
import { begunBy } from './begun-by.ts';
import { carryOutOrStore } from './carry-out-or-store.ts';
import type { Incoming, TakeParts, Taking } from './incoming.ts';
import type { ReceivedReset } from './received.ts';
import { type Recognised, recognise } from './recognise.ts';
import type { Asked, Taken } from './taken.ts';
import { type Due, whyDue } from './why-due.ts';

/**
 * Takes a message: recognises it, asks whether the conversation ends before it, and carries it out or stores it. When this
 * resolves, what it changed is durable. No model is asked.
 *
 * @throws VARVE_INGEST_REFUSED, VARVE_PLUGIN_FAILED, VARVE_ABORTED, and what the store throws: nothing is stored then.
 */
export async function takeMessage(parts: TakeParts, incoming: Incoming): Promise<Taken> {
  const taking: Taking = { parts, incoming };
  const use = <Result>(work: (session: Session) => Promise<Result>): Promise<Result> =>
    parts.live.use(incoming.route.keyText, work, incoming.names);
  const looked = await use((session) => takeUnlessDue(session, taking));
  if (looked.kind !== 'due')
    return looked.kind === 'asked' ? beginAnew(taking, looked, { ...looked, due: null }) : looked;
  const due = await endBefore(taking, looked);
  const taken = await use((session) => take(session, taking));
  return taken.kind === 'asked' ? beginAnew(taking, taken, { ...taken, due }) : { ...taken, reset: due };
}

/** A command that wants a new beginning, and whether the generation that is current was begun for it already. */
type ToBegin = Asked & { readonly isDone: boolean };

async function takeUnlessDue(session: Session, taking: Taking): Promise<Taken | ToBegin | Due> {
  const recognised = await recognise(session, taking);
  const due = recognised.kind === 'new' ? await whyDue(session, taking.incoming) : null;
  return due ?? takeAs(session, taking, recognised);
}

/** The same, of a conversation that has just been asked whether it ends. */
async function take(session: Session, taking: Taking): Promise<Taken | ToBegin> {
  return takeAs(session, taking, await recognise(session, taking));
}

async function takeAs(session: Session, taking: Taking, recognised: Recognised): Promise<Taken | ToBegin> {
  if (recognised.kind === 'taken') return recognised.taken;
  const taken = await carryOutOrStore(session, taking);
  return taken.kind === 'asked' ? { ...taken, isDone: recognised.kind === 'begun' } : taken;
}

/** Ends a conversation before a message, unless it is not due any more when nobody works with it. */
async function endBefore({ parts, incoming }: Taking, { reason, text }: Due): Promise<ReceivedReset | null> {
  const { inbound, key, route } = incoming;
  const { isReset, previousSessionId } = await parts.lifecycle.reset(route.keyText, {
    reason,
    kind: 'implicit',
    records: begunBy(reason, key),
    confirm: async (session) => (await askReset(session, { inbound })) !== null,
  });
  return isReset ? { reason, text, previousSessionId } : null;
}
