import { messageSchema, textsOfMessage } from '@varve/core';
import { generateConversation, largeResultChars, measureTraits, traits } from '@varve/testkit';
import { anyConversation } from '@varve/testkit/fast-check';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const seeds = Array.from({ length: 400 }, (_, index) => index + 1);

describe('generateConversation', () => {
  it('gives each trait its share', () => {
    const shares = measureTraits(seeds.map((seed) => generateConversation({ seed })));
    const percent = (share: number): string => `${(100 * share).toFixed(1).padStart(5)} %`;
    console.log(
      [
        'of exchanges  of conversations',
        ...shares.map((one) => `${percent(one.ofExchanges)}  ${percent(one.ofConversations)}  ${one.trait}`),
      ].join('\n'),
    );
    for (const { trait, ofExchanges, ofConversations } of shares) {
      if (trait === 'large-result') expect(ofConversations, trait).toBeGreaterThanOrEqual(0.05);
      else expect(ofExchanges, trait).toBeGreaterThanOrEqual(trait === 'parallel-calls' ? 0.2 : 0.05);
    }
    expect(shares.map(({ trait }) => trait)).toEqual(traits);
  });

  it('gives the same conversation for the same seed, and another one for another', () => {
    const [one, again, other] = [7, 7, 8].map((seed) => JSON.stringify(generateConversation({ seed })));
    expect(again).toBe(one);
    expect(other).not.toBe(one);
  });

  it('gives messages that core takes', () => {
    for (const seed of seeds.slice(0, 60)) {
      for (const { message } of generateConversation({ seed, largeShare: 0 }).utterances) {
        expect(messageSchema.safeParse(message).success, JSON.stringify(message)).toBe(true);
      }
    }
  });

  it('gives large results, and none where none are wanted', () => {
    const longest = (largeShare: number): number => {
      const { utterances } = generateConversation({ seed: 3, largeShare });
      return Math.max(...utterances.flatMap(({ message }) => textsOfMessage(message)).map((text) => text.length));
    };
    expect(longest(1)).toBeGreaterThanOrEqual(largeResultChars);
    expect(longest(0)).toBeLessThan(largeResultChars);
  });

  it('leaves out what it is told to', () => {
    const conversations = seeds.slice(0, 50).map((seed) => generateConversation({ seed, without: traits }));
    expect(measureTraits(conversations).filter(({ ofExchanges }) => ofExchanges > 0)).toEqual([]);
  });
});

describe('anyConversation', () => {
  it('has every trait, and shrinks to exchanges without any', () => {
    const conversations = fc.sample(anyConversation(), { numRuns: 300, seed: 1 });
    for (const { trait, ofConversations } of measureTraits(conversations))
      expect(ofConversations, trait).toBeGreaterThan(0.03);
    const found = fc.check(
      fc.property(anyConversation({ without: ['large-result'] }), ({ utterances }) => utterances.length < 4),
      { seed: 1 },
    );
    expect(found.counterexample?.[0].utterances.length).toBeLessThan(16);
  });
});
