import { type Delivery, type JsonValue, type Milliseconds, readSendOverride, VarveError } from '@varve/core';
import { type Decision, decide } from './decide.ts';
import { type MatchAnswer, matchRule } from './match-rule.ts';
import { optionsSchema, type Policy, type SendPolicyOptions } from './send-policy-options.ts';
import { uselessRules } from './useless-rules.ts';

/** When, and in which session, a delivery is tried. */
export interface DryRunOptions {
  readonly now: Milliseconds;
  /** Value of the session's setting `send`. @default none */
  readonly send?: JsonValue | undefined;
}

/** What would be decided, and how each rule stands to it. */
export interface DryRun extends Decision {
  readonly rules: readonly {
    readonly rule: string;
    readonly action: 'allow' | 'deny';
    /** `unknown` counts for rules that deny, and not for those that allow. */
    readonly matches: MatchAnswer;
    /** What could not be told. */
    readonly unknown: readonly string[];
  }[];
  /** Rules that can never decide anything. */
  readonly warnings: readonly string[];
}

/**
 * Tries what the plugin would decide with these options. Pure: nothing leaves and nothing is stored.
 *
 * @throws VARVE_PLUGIN_OPTIONS  for options that the plugin would not take.
 */
export function dryRun(delivery: Delivery, policy: SendPolicyOptions, { now, send }: DryRunOptions): DryRun {
  const parsed = policyOf(policy);
  const decision = decide(delivery, parsed, { override: readSendOverride(send), now });
  // Where nothing can be told of the delivery, the rules cannot be compared with it either.
  const rules = decision.rule === 'policy-failed' ? [] : parsed.rules;
  return {
    ...decision,
    rules: rules.map(({ name, action, match }) => {
      const { answer, unknown } = matchRule(match, { delivery, now });
      return { rule: name, action, matches: answer, unknown };
    }),
    warnings: uselessRules(parsed),
  };
}

function policyOf(options: SendPolicyOptions): Policy {
  const { data, error } = optionsSchema.safeParse(options);
  if (error === undefined) return data;
  const issues = error.issues.map(({ path, message }) => `${path.map(String).join('.') || '(root)'}: ${message}`);
  throw new VarveError('VARVE_PLUGIN_OPTIONS', `Options of plugin "send-policy": ${issues.join('; ')}.`, {
    fix: 'Correct the options.',
    details: { plugin: 'send-policy', issues },
  });
}
