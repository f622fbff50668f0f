import type { Clock } from '../clock.ts';
import type { Milliseconds } from '../units.ts';
import type { HealthRecord } from './health.ts';
import type { HookContext } from './hook-context.ts';
import type { SessionEvents } from './session-events.ts';

/** One run of plugins' code: what its taps share. Made by the session for each run. */
export interface GuardedRun {
  readonly sessionId: string;
  readonly clock: Clock;
  readonly events: SessionEvents;
  readonly health: HealthRecord;
  /** The caller's signal. */
  readonly signal: AbortSignal | undefined;
  /** A new context for one call, with what the guard gives it; made when the code first looks at it. */
  contextFor(plugin: string, own: OwnContext): HookContext;
}

/** What the guard gives to the context of one call. */
interface OwnContext {
  readonly deadline: Milliseconds;
  /** Asked each time that it is read. */
  signal(): AbortSignal;
}
