import type { Delivery, DeliveryDecision, DeliveryKind, VarveError } from '@varve/core';

/** Where an answer goes: the place that the message came from. */
export interface ReturnAddress {
  /** `null` where nobody knows. */
  readonly channel: string | null;
  /** Which of the agent's accounts; `null` where the channel has one. */
  readonly account: string | null;
  /** The person, in a direct chat; else the room. */
  readonly peer: string;
  /** Id of the thread or topic; `null` for none. */
  readonly threadId: string | null;
}

/** Something that a conversation is about to say. What is left out is where its last message came from. */
export interface Leaving {
  readonly kind: DeliveryKind;
  /** The words, or the sign of a reaction. @default none, as with a sign of life */
  readonly text?: string | undefined;
  readonly to?: ReturnAddress | undefined;
  /** The channel's id of the message that it answers. @default none */
  readonly inReplyTo?: string | undefined;
  /** How the agent was spoken to in what it answers. @default null, it answers nothing */
  readonly addressed?: Delivery['addressed'] | undefined;
  /** Where what it answers came from. @default null, it answers nothing */
  readonly provenance?: Delivery['provenance'] | undefined;
}

/** Something that leaves a conversation: the policies were asked, and none was against it. */
export interface Outgoing {
  readonly keyText: string;
  readonly sessionId: string;
  readonly agentId: string;
  readonly kind: DeliveryKind;
  /** `null` where nobody knows, as in a conversation that no channel has written to. */
  readonly channel: string | null;
  readonly account: string | null;
  /** By the channel's own name; of a message to another conversation, its key. */
  readonly recipient: string | null;
  readonly threadId: string | null;
  /** @default none, as with a sign of life */
  readonly text?: string | undefined;
  /** The channel's id of the message that it answers. @default none */
  readonly inReplyTo?: string | undefined;
  readonly decision: DeliveryDecision;
}

/** What came of something that was about to leave. */
export interface Left {
  readonly decision: DeliveryDecision;
  /** What left; `null` when nothing did. */
  readonly outgoing: Outgoing | null;
  /** `VARVE_DELIVERY_FAILED` when it was allowed and could not be sent. */
  readonly failure: VarveError | null;
}
