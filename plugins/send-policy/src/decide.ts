import { type Delivery, type Milliseconds, type SendOverride, sendOverrideInForce } from '@varve/core';
import { type Matched, matchRule } from './match-rule.ts';
import type { Policy, ResolvedRule } from './send-policy-options.ts';

/** Whether something may leave. */
export interface Decision {
  readonly allow: boolean;
  /** In words, for people. */
  readonly reason: string;
  /** `override`, the name of a rule, `default`, or `policy-failed`. */
  readonly rule: string;
}

/** What a decision rests on beside the delivery and the policy. */
export interface Circumstances {
  /** `null` for none. */
  readonly override: SendOverride | null;
  readonly now: Milliseconds;
}

/**
 * Decides whether a delivery may leave: the owner's override, else any rule that denies, else one that allows, else the
 * default. A rule that denies holds also where nobody can tell whether it is meant, one that allows does not. What cannot
 * be decided is denied; never throws.
 */
export function decide(delivery: Delivery, policy: Policy, circumstances: Circumstances): Decision {
  try {
    return byOverride(circumstances) ?? byRules(delivery, policy, circumstances.now);
  } catch (error) {
    return {
      allow: false,
      reason: `Nobody could decide: ${error instanceof Error ? error.message : 'it failed.'}`,
      rule: 'policy-failed',
    };
  }
}

function byOverride({ override, now }: Circumstances): Decision | null {
  const inForce = sendOverrideInForce(override, now);
  if (inForce === null) return null;
  const until = inForce.until === null ? '' : ` until ${new Date(inForce.until).toISOString()}`;
  const word = inForce.mode === 'allow' ? 'on' : 'off';
  return {
    allow: inForce.mode === 'allow',
    reason: `Sending is switched ${word} for this session${until}.`,
    rule: 'override',
  };
}

function byRules(delivery: Delivery, policy: Policy, now: Milliseconds): Decision {
  const matched = policy.rules.map((rule) => ({ rule, matched: matchRule(rule.match, { delivery, now }) }));
  const denying = matched.filter(({ rule, matched: { answer } }) => rule.action === 'deny' && answer !== 'no');
  const deny = denying.find(({ matched: { answer } }) => answer === 'yes') ?? denying[0];
  if (deny !== undefined) return { allow: false, reason: reasonOf(deny.rule, deny.matched), rule: deny.rule.name };
  const allow = matched.find(({ rule, matched: { answer } }) => rule.action === 'allow' && answer === 'yes');
  if (allow !== undefined) return { allow: true, reason: reasonOf(allow.rule, allow.matched), rule: allow.rule.name };
  return policy.default === 'allow'
    ? { allow: true, reason: 'No rule forbids it.', rule: 'default' }
    : { allow: false, reason: 'No rule allows it.', rule: 'default' };
}

function reasonOf({ name, action, reason }: ResolvedRule, { unknown }: Matched): string {
  const why = reason ?? `The rule "${name}" ${action === 'allow' ? 'allows' : 'forbids'} it.`;
  return unknown.length === 0 ? why : `${why} (Not known: ${unknown.join(', ')}.)`;
}
