import { messageOfError } from '../../errors.ts';
import type { Delivery, DeliveryDecision } from '../../plugins/delivery.ts';
import { allowed } from '../../plugins/delivery-decision.ts';
import type { Session } from '../session.ts';
import { plainFacts, runHook } from '../session-runtime.ts';
import { runtimeOfSession } from './runtime-of-session.ts';

/**
 * Asks the host's plugins whether something may leave a session, and tells what they decided (`delivery-decided`). Every
 * way out of a session goes through here. Never throws for a plugin: what cannot be decided is denied. For
 * `@varve/sessions` and gateways.
 *
 * @throws VARVE_OPTION_INVALID  for something that is no session.
 */
export async function askDelivery(
  session: Session,
  delivery: Delivery,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<DeliveryDecision> {
  const runtime = runtimeOfSession(session);
  const value = allowed(delivery);
  let decision: DeliveryDecision;
  try {
    decision = (await runHook(runtime, { hook: 'deliver', value }, plainFacts(signal, null))) ?? value;
  } catch (error) {
    const reason = `Nobody could decide: ${messageOfError(error)}`;
    decision = { ...value, allow: false, reason, rule: 'policy-failed' };
  }
  runtime.events.emit('delivery-decided', { decision });
  return decision;
}
