/** The request whose rules are checked. */
export type RuleProvider = 'anthropic' | 'openai-chat' | 'openai-responses' | 'gemini';

/** Where a body breaks a rule, and how. */
export interface RuleFinding {
  /** Way to the value, as in `messages[2].content[0].id`; empty for the body itself. */
  readonly path: string;
  readonly text: string;
}

/** A finding, with the id of its rule. */
export interface RuleViolation extends RuleFinding {
  readonly rule: string;
}

/** What a provider refuses, or is documented to refuse, as data. */
export interface ProviderRule {
  /** Own among the rules of its provider. */
  readonly id: string;
  readonly provider: RuleProvider;
  /** The rule in one sentence. */
  readonly text: string;
  /** Page or thread that shows it. */
  readonly source: string;
  /** A body that breaks this rule and no other. Large ones are built when they are read. */
  readonly failing: unknown;
  /** Looks for violations. Total: JSON of any shape is no error here. */
  find(body: unknown): readonly RuleFinding[];
}

/** All violations of the rules in a body, in the order of the rules. */
export function violationsOf(rules: readonly ProviderRule[], body: unknown): readonly RuleViolation[] {
  return rules.flatMap(({ id, find }) => find(body).map(({ path, text }) => ({ rule: id, path, text })));
}
