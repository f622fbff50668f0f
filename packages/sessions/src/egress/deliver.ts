import { canonicalKey, type DeliveryDecision, type DeliveryKind, formatKey, parseKey, VarveError } from '@varve/core';
import type { Generations } from '../generation/generations.ts';
import type { LiveSessions } from '../live/live-sessions.ts';
import type { Egress } from './create-egress.ts';
import type { Leaving } from './outgoing.ts';
import { lastAddressOf } from './return-address.ts';

/** A message of one conversation to another one of the same host. */
export interface CrossSession {
  readonly kind: 'cross-session';
  /** Key of the other conversation. */
  readonly to: string;
  readonly text: string;
  /** The caller's own id of it: one that the other conversation knows is not stored again. @default none */
  readonly key?: string | undefined;
}

/** What a host lets a conversation say by itself: a sign of life, a reaction, a message to somebody else. */
export type HostDelivery =
  | CrossSession
  | (Leaving & {
      readonly kind: Exclude<DeliveryKind, 'cross-session'>;
    });

/** What deliveries work with. */
export interface DeliverParts {
  readonly live: LiveSessions;
  readonly egress: Egress;
  readonly generations: Pick<Generations, 'current'>;
  /** Whether anything carries out what leaves. */
  readonly canSend: boolean;
}

/**
 * Lets a conversation say something that no message has asked for, if the policies allow it. A message to another
 * conversation is stored there, as said by another session; nobody answers it by itself.
 *
 * @throws VARVE_KEY_INVALID; VARVE_SESSION_UNKNOWN  where there is no such conversation: none is begun;
 *   VARVE_OPTION_INVALID  for a conversation that writes to itself; VARVE_DELIVERY_FAILED  when nobody sends, when nobody
 *   knows where to, or when it was allowed and could not be carried out; VARVE_INGEST_REFUSED  when the other
 *   conversation does not take it.
 */
export async function deliver(parts: DeliverParts, keyText: string, what: HostDelivery): Promise<DeliveryDecision> {
  const { live, egress, canSend } = parts;
  parseKey(keyText);
  checkDelivery(what);
  if (what.kind === 'cross-session') return deliverAcross(parts, keyText, what);
  await refuseUnknown(parts, keyText);
  // A tool of the conversation's own turn may ask for it.
  const { decision, failure } = await live.join(keyText, async (session) => {
    if (!canSend) throw nowhereError(keyText, { why: 'send', text: 'createSessions was given no `send`' });
    if (what.to === undefined && lastAddressOf(session.view) === null)
      throw nowhereError(keyText, { why: 'address', text: 'nobody has written to it from a channel' });
    return egress.leave(session, what);
  });
  if (failure !== null) throw failure;
  return decision;
}

/** What is misspelt must not begin a conversation. @throws VARVE_SESSION_UNKNOWN */
async function refuseUnknown({ live, generations }: DeliverParts, keyText: string): Promise<void> {
  if (live.awake(keyText) !== null || (await generations.current(keyText)) !== null) return;
  throw new VarveError('VARVE_SESSION_UNKNOWN', `There is no conversation "${keyText}" that goes on.`, {
    fix: 'Use a key that sessions.list shows, or begin the conversation with a message.',
    details: { key: keyText },
  });
}

function nowhereError(keyText: string, { why, text }: { readonly why: string; readonly text: string }): VarveError {
  return new VarveError('VARVE_DELIVERY_FAILED', `Nothing can leave "${keyText}": ${text}.`, {
    fix:
      why === 'send' ? 'Give createSessions a `send`.' : 'Say where to: { to: { channel, account, peer, threadId } }.',
    details: { key: keyText, why },
  });
}

const kinds: readonly string[] = ['reply', 'typing', 'reaction', 'cross-session', 'announcement', 'greeting'];

/** What is to be delivered may come from plain JavaScript. */
function checkDelivery(what: HostDelivery): void {
  const given = (what ?? {}) as Partial<CrossSession>;
  const isText = typeof given.text === 'string' || (given.text === undefined && given.kind !== 'cross-session');
  const wrong = !kinds.includes(String(given.kind)) ? 'kind' : isText ? null : 'text';
  if (wrong === null) return;
  throw new VarveError('VARVE_OPTION_INVALID', `sessions.deliver was given no valid ${wrong}.`, {
    fix: `Give { kind, text }, where kind is one of: ${kinds.join(', ')}.`,
    details: { path: wrong },
  });
}

async function deliverAcross(
  parts: DeliverParts,
  keyText: string,
  { to, text, key }: CrossSession,
): Promise<DeliveryDecision> {
  const target = parseKey(to);
  if (formatKey(canonicalKey(keyText)) === formatKey(target)) {
    throw new VarveError('VARVE_OPTION_INVALID', `"${to}" cannot send a message to itself.`, {
      fix: 'Name another conversation, or ingest the message.',
      details: { path: 'to' },
    });
  }
  await refuseUnknown(parts, keyText);
  const { live, egress } = parts;
  const channel = 'channel' in target ? (target.channel ?? null) : null;
  const leaving: Leaving = { kind: 'cross-session', text, to: { channel, account: null, peer: to, threadId: null } };
  // Not carried out where it is asked: who works with two conversations at once could wait for himself.
  const { decision } = await live.join(keyText, (session) => egress.leave(session, leaving, () => undefined));
  if (!decision.allow) return decision;
  const provenance = { kind: 'inter-session', sessionKey: keyText } as const;
  await live.use(to, (session) => session.ingest({ role: 'user', content: text }, { provenance, key }));
  return decision;
}
