import type { DeliveryKind, Inbound } from '@varve/core';
import type { Leaving } from './outgoing.ts';
import { addressOf } from './return-address.ts';

/** What leaves for the place that a message came from, and answers it. */
export function leavingFor(inbound: Inbound, kind: DeliveryKind): Leaving {
  return {
    kind,
    to: addressOf(inbound),
    inReplyTo: inbound.messageId,
    addressed: inbound.addressed,
    provenance: provenanceOf(inbound),
  };
}

/** Where a message came from, as its entry says. */
export function provenanceOf({ channel, sender }: Inbound): NonNullable<Leaving['provenance']> {
  return { kind: 'user', channel, senderId: sender.id };
}
