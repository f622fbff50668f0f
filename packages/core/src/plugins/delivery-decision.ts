import { messageOfError, VarveError } from '../errors.ts';
import type { Delivery, DeliveryDecision } from './delivery.ts';

/** What nobody is against may leave. */
export function allowed(delivery: Delivery): DeliveryDecision {
  return { delivery, allow: true, reason: 'Nothing forbids it.' };
}

/** A tap that fails might have been against it. */
export function deniedByFailure(
  { delivery }: DeliveryDecision,
  { plugin, error }: { readonly plugin: string; readonly error: unknown },
): DeliveryDecision {
  const reason = `Plugin "${plugin}" could not decide: ${messageOfError(error)}`;
  return { delivery, allow: false, reason, rule: 'policy-failed', by: plugin };
}

/**
 * The decision after a tap. What was denied stays denied, and what is delivered stays what it was.
 *
 * @throws VARVE_PLUGIN_FAILED  for an answer of another shape, or one that allows what was denied.
 */
export function checkDecision(
  output: unknown,
  { given, plugin }: { readonly given: DeliveryDecision; readonly plugin: string },
): DeliveryDecision {
  const { allow, reason, rule = '' } = (output ?? {}) as Partial<DeliveryDecision>;
  if (typeof allow !== 'boolean' || typeof reason !== 'string' || typeof rule !== 'string') {
    throw wrong('It did not return { allow, reason }.', 'Return { ...decision, allow: false, reason }, or nothing.');
  }
  if (given.allow === allow) return given;
  if (allow) throw wrong('It allowed what had been denied.', 'Deny or return nothing: only the host can allow.');
  return { delivery: given.delivery, allow, reason, ...(rule === '' ? {} : { rule }), by: plugin };
}

function wrong(message: string, fix: string): VarveError {
  return new VarveError('VARVE_PLUGIN_FAILED', message, { fix });
}
