import fc from 'fast-check';
import { type Conversation, conversationOf, type ExchangePlan } from './conversation/generate-conversation.ts';
import { type Trait, traits } from './conversation/trait.ts';

/** Which conversations the arbitrary gives. */
export interface ConversationConstraints {
  /** Most exchanges. @default 12 */
  readonly maxLength?: number | undefined;
  /** Traits that it never gives; `large-result` where speed matters. @default none */
  readonly without?: readonly Trait[] | undefined;
}

/**
 * Conversations for properties. What fails shrinks to few exchanges with few traits; it is printed as the seed and the
 * traits of its exchanges.
 */
export function anyConversation({
  maxLength = 12,
  without = [],
}: ConversationConstraints = {}): fc.Arbitrary<Conversation> {
  const allowed = traits.filter((trait) => trait !== 'large-result' && !without.includes(trait));
  const large = without.includes('large-result')
    ? fc.constant(false)
    : fc.integer({ min: 0, max: 99 }).map((n) => n === 99);
  const plan = fc
    .record({
      seed: fc.nat(),
      drawn: fc.array(fc.nat(7), { minLength: allowed.length, maxLength: allowed.length }),
      large,
    })
    .map(({ seed, drawn, large: isLarge }): ExchangePlan => {
      const chosen = allowed.filter((trait, index) => (drawn[index] ?? 0) >= (trait === 'parallel-calls' ? 4 : 7));
      return { seed, traits: isLarge ? [...chosen, 'large-result'] : chosen };
    });
  return fc.array(plan, { maxLength, size: 'max' }).map((plans) => shownAsPlans(plans));
}

function shownAsPlans(plans: readonly ExchangePlan[]): Conversation {
  const conversation = conversationOf(plans, 0);
  return Object.defineProperty(conversation, fc.toStringMethod, { value: () => JSON.stringify(plans) });
}
