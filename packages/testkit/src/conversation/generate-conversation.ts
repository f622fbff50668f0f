import type { Message } from '@varve/core';
import { exchangeOf } from './exchange.ts';
import { type Random, seededRandom } from './seeded-random.ts';
import { type Trait, traits } from './trait.ts';

/** One thing that is said, as a host hands it to `session.ingest`. */
export interface Utterance {
  readonly message: Message;
  /** The host's own id; the same one twice is the same message, delivered twice. */
  readonly key?: string | undefined;
  /** Number of the exchange, from 0: what the user says, and all that follows until the user speaks again. */
  readonly exchange: number;
}

/** A conversation as hosts have them, odd ones among them. */
export interface Conversation {
  readonly seed: number;
  readonly utterances: readonly Utterance[];
}

/** How a conversation is made. */
export interface GenerateOptions {
  /** Decides everything: the same seed gives the same conversation. */
  readonly seed: number;
  /** Number of exchanges, each of some three to ten messages. @default 8 */
  readonly length?: number | undefined;
  /** How often a conversation has a result of 1 MB, 0 to 1; 0 where speed matters. @default 0.1 */
  readonly largeShare?: number | undefined;
  /** Traits that it has none of. @default none */
  readonly without?: readonly Trait[] | undefined;
}

/** What an exchange is to be like. */
export interface ExchangePlan {
  readonly seed: number;
  readonly traits: readonly Trait[];
}

/** How often an exchange has a trait. Measured by a test: traits that need others come out a little rarer. */
const traitShare = 0.12;
const parallelShare = 0.5;

/** Makes a conversation out of a seed. Needs no library; {@link Conversation} as an arbitrary is in `./fast-check`. */
export function generateConversation(options: GenerateOptions): Conversation {
  const { seed, length = 8, largeShare = 0.1, without = [] } = options;
  const random = seededRandom(seed);
  const largeAt = random.chance(largeShare) ? random.integer(0, Math.max(0, length - 1)) : -1;
  const plans = Array.from({ length }, (_, index): ExchangePlan => {
    const drawn = traits.filter((trait) => isDrawn(trait, random, index === largeAt));
    return { seed: random.integer(0, 2 ** 31), traits: drawn.filter((trait) => !without.includes(trait)) };
  });
  return conversationOf(plans, seed);
}

/** Makes a conversation out of what its exchanges are to be like. */
export function conversationOf(plans: readonly ExchangePlan[], seed: number): Conversation {
  return { seed, utterances: plans.flatMap((plan, index) => exchangeOf(plan, index)) };
}

function isDrawn(trait: Trait, random: Random, isLarge: boolean): boolean {
  if (trait === 'large-result') return isLarge;
  return random.chance(trait === 'parallel-calls' ? parallelShare : traitShare);
}
