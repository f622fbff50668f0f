import type { Inbound } from '@varve/core';
import type { Received, ReceiveOptions } from './received.ts';

/** Where messages come in. */
export interface MessageIntake {
  /**
   * Takes a message as it arrives from a channel: finds its conversation, ends that where it is due, carries out what is a
   * command, stores what is a message, lets it be answered, and lets the answer leave. Resolves when all of that is done;
   * the message is durable long before. Messages of a conversation are taken in the order of the calls, also while a model
   * answers: the running turn sees them in its next step, or the next turn answers them. Not to be awaited by a tool of the
   * same conversation, whose turn it would wait for.
   *
   * A message is known by channel, account, chat and `messageId`: one that is delivered again is neither stored, nor carried
   * out, nor answered again, also right after a reset, a return to an earlier generation or a restart; but one that has no
   * answer yet gets it now. Channels are told apart whatever the case of their names.
   *
   * @throws VARVE_OPTION_INVALID, VARVE_KEY_INVALID  for what is no message; VARVE_INGEST_REFUSED, VARVE_PLUGIN_FAILED,
   *   VARVE_ABORTED, VARVE_SESSION_CLOSED, and what the store throws: nothing is stored then. What fails later is told in
   *   the result.
   */
  receive(inbound: Inbound, options?: ReceiveOptions): Promise<Received>;
}
