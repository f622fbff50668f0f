import type { Message } from '../message.ts';
import { defaultImageFormula, type ImageFormula } from './image-formula.ts';
import { mediaOfMessage, mediaTokens } from './media-tokens.ts';
import { textsOfMessage } from './texts-of-message.ts';
import { estimateTokens } from './token-estimator.ts';

/**
 * Counts tokens. Every count in a journal names the counter that made it, and is made again when the counter changes.
 *
 * *Contract:* both methods are pure and fast, never throw, and return whole numbers ≥ 0. A counter that counts in
 * another way than before takes a new id.
 */
export interface TokenCounter {
  /** Names the counter and its version, such as `table-o200k-2`. */
  readonly id: string;
  /** Tokens of one text; 0 for the empty text. */
  count(text: string): number;
  /**
   * Tokens of one message as a provider would bill it: its texts, its images and files, and what frames them.
   *
   * @param images  How the model that is asked bills images, where that is known. A counter may know better.
   */
  countMessage(message: Message, images?: ImageFormula): number;
}

/**
 * Makes a counter out of a function that counts one text.
 *
 * A message costs 4 tokens plus what its texts cost: text and reasoning as they are, tool calls as name and compact
 * JSON, tool results as unescaped text or compact JSON. An image costs what the formula says for its size, which is read
 * from the first bytes of a PNG, JPEG, GIF or WebP; one whose size is not known counts as a large one. Another file
 * counts by its size: a PDF 3,000 tokens for each 100 kB, up to 100 pages; text a token for 3 bytes; sound a token for
 * 400 bytes. What a provider really billed corrects the sum later, by a factor for each model.
 *
 * @param id  See {@link TokenCounter.id}.
 * @param count  Tokens of one text. *Contract:* pure, never throws, returns a whole number ≥ 0.
 */
export function createTokenCounter(id: string, count: (text: string) => number): TokenCounter {
  return {
    id,
    count,
    countMessage(message, images = defaultImageFormula) {
      let tokens = tokensPerMessage;
      for (const part of mediaOfMessage(message)) tokens += mediaTokens(part, images);
      for (const text of textsOfMessage(message)) tokens += count(text);
      return tokens;
    },
  };
}

/** The default counter: {@link estimateTokens}, about 3 % off o200k, at the speed of reading the text. */
export const tableCounter: TokenCounter = createTokenCounter('table-o200k-2', estimateTokens);

/**
 * The rule of thumb of the articles on OpenClaw: Han characters (U+4E00 to U+9FFF) / 1.5 + all other UTF-16 code units
 * / 4, rounded up. It is some 27 % off and far too low for kana, Hangul and encoded data; use it only to compare.
 */
export const heuristicCounter: TokenCounter = createTokenCounter('heuristic-1', countByScript);

/** Role and separators around a message. OpenAI's guide to counting chat tokens gives 3 to 4 for its models. */
const tokensPerMessage = 4;

function countByScript(text: string): number {
  let hanUnits = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0x4e00 && unit <= 0x9fff) hanUnits++;
  }
  return Math.ceil(hanUnits / 1.5 + (text.length - hanUnits) / 4);
}
