import type { SessionRecord } from '../journal/session-record.ts';
import type { Provenance } from '../message.ts';

/** What leaves a session: an answer, a sign of life, or a message to somebody else. */
export type DeliveryKind = 'reply' | 'typing' | 'reaction' | 'cross-session' | 'announcement' | 'greeting';

/** Something that is about to leave a session. */
export interface Delivery {
  readonly sessionKey: string | null;
  readonly sessionId: string;
  readonly agentId: string;
  readonly kind: DeliveryKind;
  /** Channel that it goes to; `null` where nobody knows. */
  readonly channel: string | null;
  readonly chatType: SessionRecord['chatType'];
  /** Who gets it, by the channel's own name; `null` where nobody knows. */
  readonly recipient: string | null;
  /** How the agent was spoken to in what this answers; `null` where it answers nothing. */
  readonly addressed: 'mention' | 'reply' | 'any' | null;
  /** Where what it answers came from; `null` where it answers nothing. */
  readonly provenance: Provenance | null;
  /** @default none, as with a sign of life */
  readonly text?: string | undefined;
}

/** Whether something may leave, and why. */
export interface DeliveryDecision {
  readonly delivery: Delivery;
  readonly allow: boolean;
  /** In words, for people. */
  readonly reason: string;
  /** The rule that decided. @default none */
  readonly rule?: string | undefined;
  /** The plugin that decided. @default none: nobody was against it */
  readonly by?: string | undefined;
}
