import type { CommandReply, ResetRequest } from '@varve/core';
import type { ReceivedReset } from './received.ts';

/** What became of a message before anybody answers it. */
export type Taken = { readonly sessionId: string; readonly reset: ReceivedReset | null } & (
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'message'; readonly seq: number; readonly isKnown: boolean; readonly isBegun: boolean }
  | { readonly kind: 'command'; readonly reply: CommandReply }
  | {
      readonly kind: 'begun';
      readonly reply: CommandReply;
      readonly greeting: string | null;
      /** The command was delivered before. */
      readonly isKnown: boolean;
    }
  /** A command that takes long: it is carried out beside what comes next. */
  | { readonly kind: 'slow' }
);

/** A command that wants the conversation to begin anew; nothing of it is done yet. */
export interface Asked {
  readonly kind: 'asked';
  readonly reply: CommandReply;
  readonly request: ResetRequest;
}
