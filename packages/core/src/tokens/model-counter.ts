import type { MessageEntry } from '../journal/entry.ts';
import type { Tokens } from '../units.ts';
import type { ImageFormula } from './image-formula.ts';
import { isImage, mediaOfMessage } from './media-tokens.ts';
import type { TokenCounter } from './token-counter.ts';

/** The counters that count images by one model's formula. */
const bound = new WeakMap<TokenCounter, WeakMap<ImageFormula, TokenCounter>>();
const formulaOf = new WeakMap<TokenCounter, ImageFormula>();

/** The counter, counting images by the formula of the model that is asked; always the same one for the same two. */
export function counterForImages(counter: TokenCounter, formula: ImageFormula | undefined): TokenCounter {
  if (formula === undefined) return counter;
  const counters = bound.get(counter) ?? new WeakMap<ImageFormula, TokenCounter>();
  bound.set(counter, counters);
  const known = counters.get(formula) ?? {
    id: counter.id,
    count: (text: string) => counter.count(text),
    countMessage: (message: Parameters<TokenCounter['countMessage']>[0]) => counter.countMessage(message, formula),
  };
  counters.set(formula, known);
  formulaOf.set(known, formula);
  return known;
}

const recounted = new WeakMap<TokenCounter, WeakMap<MessageEntry, Tokens>>();

/**
 * Tokens of a stored message: as it was counted when it was appended, or anew, once, if another counter did that or the
 * model bills its images in a way of its own.
 */
export function tokensOfEntry(entry: MessageEntry, counter: TokenCounter): Tokens {
  const { tokens, message } = entry;
  if (tokens.by === counter.id && !(formulaOf.has(counter) && mediaOfMessage(message).some(isImage))) return tokens.n;
  const counts = recounted.get(counter) ?? new WeakMap<MessageEntry, Tokens>();
  recounted.set(counter, counts);
  const n = counts.get(entry) ?? counter.countMessage(message);
  counts.set(entry, n);
  return n;
}
