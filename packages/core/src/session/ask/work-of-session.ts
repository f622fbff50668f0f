import type { Session } from '../session.ts';
import { runtimeOfSession } from './runtime-of-session.ts';

/** What goes on in a session, whoever waits for it. */
export interface WorkOfSession {
  /** Id of the turn that runs; `null` for none. */
  readonly turnId: string | null;
  /** Whether a compaction runs, also one that nobody waits for. */
  readonly isCompacting: boolean;
  /** Whether plugins do something beside the conversation, such as saving notes. */
  readonly isSaving: boolean;
}

/** Says what would be cut short if the session were closed now. For `@varve/sessions`. @throws VARVE_OPTION_INVALID */
export function workOfSession(session: Session): WorkOfSession {
  const { turns, compactions, background, detached } = runtimeOfSession(session);
  return {
    turnId: turns.current()?.id ?? null,
    isCompacting: compactions.isRunning() || background.isRunning(),
    isSaving: detached.isRunning(),
  };
}
