import type { Inbound, ModelRef, Session, ToolSet } from '@varve/core';
import type { GenerationNames } from '../generation/begin-generation.ts';
import type { Lifecycle } from '../live/lifecycle.ts';
import type { LiveSessions } from '../live/live-sessions.ts';
import type { Route } from '../route/resolve-route.ts';
import type { AnsweringModels } from '../settings/session-models.ts';
import type { EarlierGenerations } from './earlier-generations.ts';

/** What messages are taken with. */
export interface TakeParts {
  readonly live: LiveSessions;
  readonly lifecycle: Pick<Lifecycle, 'reset'>;
  readonly earlier: EarlierGenerations;
  /** `null` where nobody answers. */
  readonly models: AnsweringModels | null;
  /** The tools of a session beside those of plugins: they count in what commands show. */
  toolsFor(session: Session): ToolSet;
  /** The model of a session, for commands that are about its prompts. */
  modelOf(session: Session): ModelRef;
}

/** A message on its way into its conversation. */
export interface Incoming {
  readonly inbound: Inbound;
  readonly route: Route;
  readonly names: GenerationNames;
  /** What it is stored under. */
  readonly key: string;
  readonly signal: AbortSignal | undefined;
  /** Whether anything goes on in the conversation: it is not begun anew meanwhile. */
  isBusy(): boolean;
  /** Whether it is a command that takes long, was delivered before, and is being carried out. */
  isUnderWay(): boolean;
  /** Ends what goes on: somebody wants the conversation to begin anew. */
  abort(reason: string): void;
}

/** A message, and what it is taken with. */
export interface Taking {
  readonly parts: TakeParts;
  readonly incoming: Incoming;
}
