import {
  type Clock,
  type Delivery,
  type DeliveryDecision,
  type DeliveryKind,
  type Milliseconds,
  type ModelDelta,
  type Session,
  VarveError,
} from '@varve/core';
import { askDelivery, messageOfError } from '@varve/core/host';
import type { Leaving, Left, Outgoing } from './outgoing.ts';
import { lastAddressOf } from './return-address.ts';

/** How something that may leave is carried out. */
type Carrier = (outgoing: Outgoing) => unknown;

/** Nothing waits for them. */
const signsOfLife: readonly DeliveryKind[] = ['typing', 'reaction'];

/** Hands pieces of an answer on while it is made. */
type DeltaListener = (delta: ModelDelta) => void;

/**
 * The one way out of conversations: policies are asked first, and what one of them is against, or cannot decide, does not
 * leave. Nothing else calls what carries messages out.
 */
export interface Egress {
  /**
   * Asks, and carries out what is allowed. Never throws for a policy, nor for a carrier: see `failure`. A sign of life is
   * not waited for, and nobody is told of one that is lost.
   *
   * @param carry  What carries it out. @default the host's own `send`
   */
  leave(session: Session, leaving: Leaving, carry?: Carrier): Promise<Left>;
  /** Asks whether such a thing may leave at all, before there are words. What it will say is asked again. */
  ask(session: Session, leaving: Omit<Leaving, 'text'>): Promise<DeliveryDecision>;
  /**
   * A listener that hands on the pieces of an answer, when an answer may leave at all; `null` when not. It falls silent
   * as soon as somebody changes what may leave the conversation.
   */
  stream(session: Session, leaving: Omit<Leaving, 'text'>, listener: DeltaListener): Promise<DeltaListener | null>;
}

/** What things leave with. */
export interface EgressParts {
  readonly clock: Clock;
  /** @default nothing carries messages out: who asked is told of them */
  readonly send?: Carrier | undefined;
}

/** So long after it was allowed a stream asks again: a rule may hold for some hours of the day alone. */
const askAgainMs: Milliseconds = 2_000;

/** Makes the way out of the conversations of one host. */
export function createEgress({ send, clock }: EgressParts): Egress {
  const ask = (session: Session, leaving: Leaving): Promise<DeliveryDecision> =>
    askDelivery(session, deliveryOf(session, leaving));
  return {
    ask,
    leave: async (session, leaving, carry = send ?? nobody) => {
      const decision = await ask(session, leaving);
      if (!decision.allow) return { decision, outgoing: null, failure: null };
      const outgoing = outgoingOf(session, leaving, decision);
      try {
        const carried = carry(outgoing);
        if (signsOfLife.includes(leaving.kind)) void Promise.resolve(carried).catch(() => undefined);
        else await carried;
        return { decision, outgoing, failure: null };
      } catch (error) {
        return { decision, outgoing: null, failure: failureOf(outgoing, error) };
      }
    },
    stream: async (session, leaving, listener) => {
      const settingOf = (): string => JSON.stringify(session.view.settings['send'] ?? null);
      const asked = settingOf();
      if (!(await ask(session, leaving)).allow) return null;
      let isAllowed = true;
      let askedAt = clock.now();
      const end = endOf(session) > askedAt ? endOf(session) : Infinity;
      const askAgain = async (): Promise<void> => {
        isAllowed &&= (await ask(session, leaving)).allow;
      };
      return (delta) => {
        const now = clock.now();
        if (settingOf() !== asked || now >= end) isAllowed = false;
        else if (now - askedAt >= askAgainMs) {
          askedAt = now;
          void askAgain().catch(() => {
            isAllowed = false;
          });
        }
        if (isAllowed) listener(delta);
      };
    },
  };
}

/** When what was said of sending for a while is over; never for what was said for good. */
function endOf({ view }: Session): Milliseconds {
  const { until } = (view.settings['send'] ?? {}) as { readonly until?: unknown };
  return typeof until === 'number' ? until : Infinity;
}

/** Without a carrier, what may leave is only told to who asked. */
function nobody(): void {}

function deliveryOf(session: Session, leaving: Leaving): Delivery {
  const { kind, text, addressed = null, provenance = null } = leaving;
  const { sessionId, view } = session;
  const to = leaving.to ?? lastAddressOf(view);
  return {
    sessionKey: view.key,
    sessionId,
    agentId: view.agentId,
    kind,
    channel: to?.channel ?? view.channel,
    chatType: view.chatType,
    recipient: to?.peer ?? null,
    addressed,
    provenance,
    ...(text === undefined ? {} : { text }),
  };
}

function outgoingOf(session: Session, leaving: Leaving, decision: Outgoing['decision']): Outgoing {
  const { channel, recipient, text } = decision.delivery;
  const to = leaving.to ?? lastAddressOf(session.view);
  return {
    keyText: session.view.key ?? '',
    sessionId: session.sessionId,
    agentId: session.view.agentId,
    kind: leaving.kind,
    channel,
    account: to?.account ?? null,
    recipient,
    threadId: to?.threadId ?? null,
    ...(text === undefined ? {} : { text }),
    ...(leaving.inReplyTo === undefined ? {} : { inReplyTo: leaving.inReplyTo }),
    decision,
  };
}

function failureOf({ kind, channel, recipient }: Outgoing, cause: unknown): VarveError {
  const where = channel === null ? '' : ` to ${channel}`;
  return new VarveError('VARVE_DELIVERY_FAILED', `A ${kind}${where} could not be sent: ${messageOfError(cause)}`, {
    fix: 'See why `send` failed. What was to be said stands in the conversation: send it again from there.',
    cause,
    details: { kind, channel, recipient },
  });
}
