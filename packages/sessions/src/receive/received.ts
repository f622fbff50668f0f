import type { CommandReply, DeliveryDecision, ModelDelta, TurnRecord, VarveError } from '@varve/core';
import type { Outgoing } from '../egress/outgoing.ts';
import type { Route } from '../route/resolve-route.ts';

/** How a message is received. */
export interface ReceiveOptions {
  /**
   * Called for each piece of the answer as it is made, when an answer may leave at all. A policy that has to see the words
   * sees them when they are whole: leave this out where that would be too late. What it throws is ignored. @default none
   */
  readonly onDelta?: ((delta: ModelDelta) => void) | undefined;
  /** Ends the answer; what is stored by then stays. */
  readonly signal?: AbortSignal | undefined;
  /** `false` stores the message and leaves it to a later one to be answered. @default true */
  readonly answer?: boolean | undefined;
  /**
   * Key of the conversation that the message goes into, whatever the routing says of it: for whoever knows the
   * conversation, as a gateway does. @default where the routing leads
   */
  readonly conversation?: string | undefined;
  /** Called once the message is durable, with its entry; not for a command. What it throws is ignored. @default none */
  readonly onStored?: ((entry: { readonly sessionId: string; readonly seq: number }) => void) | undefined;
}

/**
 * What became of a message.
 *
 * - `answered`: it has an answer: of its own, or one that answers several at once
 * - `stored`: it is in the conversation, and nobody was to answer it
 * - `command`: it was a command, and was carried out; nothing of it is in the conversation
 * - `reset`: it began the conversation anew, whether or not a message came with it
 * - `duplicate`: it was received before; nothing was stored or sent for it now
 * - `aborted`: it is stored, and the answer was cut short: by the caller, or because the conversation was begun anew
 * - `failed`: it is stored, and has no answer, or one that could not be sent: `failure` says why
 */
export type ReceivedStatus = 'answered' | 'stored' | 'command' | 'reset' | 'duplicate' | 'aborted' | 'failed';

/** A reset that a message has led to. */
export interface ReceivedReset {
  /** A word for programs: `daily`, `idle`, `command`. */
  readonly reason: string;
  /** The same for people. */
  readonly text: string;
  readonly previousSessionId: string | null;
}

/** What came of a message. */
export interface Received {
  readonly route: Route;
  /** The generation that the message is in; of one that began the conversation anew, the new one. */
  readonly sessionId: string;
  readonly status: ReceivedStatus;
  /** `null` when the conversation went on. */
  readonly reset: ReceivedReset | null;
  /** What left as the answer; `null` when nothing did. Several messages that were answered together have the same one. */
  readonly reply: Outgoing | null;
  /** What the policies said about it; `null` when there was nothing to say. */
  readonly decision: DeliveryDecision | null;
  /** What a command said, whether or not that left. */
  readonly command: CommandReply | null;
  /** The turn that answered; `null` when none ran. */
  readonly turn: TurnRecord | null;
  /** What else people should know, in words: a compaction, a model that is not there. */
  readonly notices: readonly string[];
  /** Why it failed; `null` for what did not. */
  readonly failure: VarveError | null;
}

/** A result that says no more than where the message went. */
export function plainReceived(route: Route, sessionId: string, status: ReceivedStatus): Received {
  const nothing = { reset: null, reply: null, decision: null, command: null, turn: null, failure: null } as const;
  return { route, sessionId, status, ...nothing, notices: [] };
}
