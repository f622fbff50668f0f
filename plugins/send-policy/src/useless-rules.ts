import type { Policy, ResolvedMatch, ResolvedRule } from './send-policy-options.ts';

/** What is wrong with rules that can never decide anything, in words for people; empty for nothing. */
export function uselessRules({ rules, default: byDefault }: Policy): readonly string[] {
  const denying = rules.filter(({ action }) => action === 'deny');
  const total = denying.find(({ match }) => Object.keys(match).length === 0);
  return rules.flatMap((rule) => {
    const why = whyUseless(rule, { total, byDefault, hasAllow: rules.some(({ action }) => action === 'allow') });
    return why === null ? [] : [`The rule "${rule.name}" ${why}`];
  });
}

function whyUseless(
  rule: ResolvedRule,
  about: {
    readonly total: ResolvedRule | undefined;
    readonly byDefault: Policy['default'];
    readonly hasAllow: boolean;
  },
): string | null {
  const { total, byDefault, hasAllow } = about;
  if (areApart(rule.match)) return 'can never match: no key begins with both of its prefixes.';
  if (total !== undefined && total !== rule) return `never matters: "${total.name}" forbids everything.`;
  if (rule.action === 'allow' && byDefault === 'allow')
    return 'changes nothing: what no rule denies is allowed anyway.';
  if (rule.action === 'deny' && byDefault === 'deny' && !hasAllow)
    return 'changes nothing: what no rule allows is denied anyway, and none allows anything.';
  return null;
}

/** True when no key can begin with one of each kind of prefix. */
function areApart({ keyPrefix, rawKeyPrefix }: ResolvedMatch): boolean {
  if (keyPrefix === undefined || rawKeyPrefix === undefined) return false;
  return keyPrefix.every((prefix) => rawKeyPrefix.every((raw) => !canBoth(prefix.toLowerCase(), raw.toLowerCase())));
}

function canBoth(prefix: string, raw: string): boolean {
  const [, rest] = /^agent:[^:]*:(.*)$/s.exec(raw) ?? [];
  if (rest !== undefined) return overlap(prefix, raw) || overlap(prefix, rest);
  // A raw prefix that ends within the agent's name leaves open what follows it.
  return overlap('agent:', raw) || overlap(prefix, raw);
}

function overlap(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one);
}
