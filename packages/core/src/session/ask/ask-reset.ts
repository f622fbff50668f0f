import type { Inbound } from '../../inbound.ts';
import type { ResetAnswer } from '../../plugins/reset-question.ts';
import type { Session } from '../session.ts';
import { plainFacts, runHook } from '../session-runtime.ts';
import { runtimeOfSession } from './runtime-of-session.ts';

/**
 * Asks the host's plugins whether a session should end here, before a message goes into it; `null` when none says so. For
 * `@varve/sessions` and gateways.
 *
 * @throws VARVE_OPTION_INVALID, VARVE_ABORTED
 */
export async function askReset(
  session: Session,
  { inbound = null, signal }: { readonly inbound?: Inbound | null; readonly signal?: AbortSignal | undefined } = {},
): Promise<ResetAnswer | null> {
  const runtime = runtimeOfSession(session);
  const value = { record: runtime.record.current(), inbound, now: runtime.clock.now() };
  return (await runHook(runtime, { hook: 'shouldReset', value }, plainFacts(signal, null))) ?? null;
}
