import type { Message, Provenance, Usage } from '@varve/core';

/** One message of a host's list. */
export interface ListedMessage {
  readonly message: Message;
  /** Where it came from, for one that is new. @default by role */
  readonly provenance?: Provenance | undefined;
  /** What the provider reported, for an answer that is new. @default nothing */
  readonly usage?: Usage | undefined;
}
