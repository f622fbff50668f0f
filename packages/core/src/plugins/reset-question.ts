import type { Inbound } from '../inbound.ts';
import type { SessionRecord } from '../journal/session-record.ts';
import type { Milliseconds } from '../units.ts';

/** Asked before a message goes into a session: whether it should begin a new one instead. */
export interface ResetQuestion {
  /** The session as it stands: since when it goes on, and when the user last wrote. */
  readonly record: SessionRecord;
  /** The message; `null` when only the time is a reason. */
  readonly inbound: Inbound | null;
  /** The host's time. */
  readonly now: Milliseconds;
}

/** The session should end here, and why. */
export interface ResetAnswer {
  /** A word for programs: `daily`, `idle`. */
  readonly reason: string;
  /** The same for people. @default the word */
  readonly text?: string | undefined;
}
