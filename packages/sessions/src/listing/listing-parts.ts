import type { Clock, Host } from '@varve/core';
import type { Generations } from '../generation/generations.ts';
import type { LiveSessions } from '../live/live-sessions.ts';

/** How the generations of a conversation are changed. */
interface ConversationChanges {
  /** Ends the current generation and begins a new one. */
  reset(keyText: string, options: { readonly reason: string }): Promise<unknown>;
  /** Points a conversation back to one of its generations. */
  restore(keyText: string, sessionId: string): Promise<unknown>;
}

/** What sessions are listed and looked after with. */
export interface ListingParts {
  readonly host: Host;
  readonly clock: Clock;
  readonly generations: Generations;
  readonly live: LiveSessions;
  readonly changes: ConversationChanges;
}
