import { type Message, type MessagePart, partsOfMessage } from '../message.ts';
import { textsOfMessage } from './texts-of-message.ts';
import { estimateTokens } from './token-estimator.ts';

/**
 * Counts tokens. Every count in a journal names the counter that made it, and is made again when the counter changes.
 *
 * *Contract:* both methods are pure and fast, never throw, and return whole numbers ≥ 0. A counter that counts in
 * another way than before takes a new id.
 */
export interface TokenCounter {
  /** Names the counter and its version, such as `table-o200k-1`. */
  readonly id: string;
  /** Tokens of one text; 0 for the empty text. */
  count(text: string): number;
  /** Tokens of one message as a provider would bill it: its texts, its images and files, and what frames them. */
  countMessage(message: Message): number;
}

/**
 * Makes a counter out of a function that counts one text.
 *
 * A message costs 4 tokens plus what its texts cost: text and reasoning as they are, tool calls as name and compact
 * JSON, tool results as unescaped text or compact JSON. An image costs 1,600 tokens and another file 3,000, whatever
 * their size. What a provider really billed corrects the sum later, by a factor for each model.
 *
 * @param id  See {@link TokenCounter.id}.
 * @param count  Tokens of one text. *Contract:* pure, never throws, returns a whole number ≥ 0.
 */
export function createTokenCounter(id: string, count: (text: string) => number): TokenCounter {
  return {
    id,
    count,
    countMessage(message) {
      let tokens = tokensPerMessage + attachmentTokens(partsOfMessage(message));
      for (const text of textsOfMessage(message)) tokens += count(text);
      return tokens;
    },
  };
}

/** The default counter: {@link estimateTokens}, about 3 % off o200k, at the speed of reading the text. */
export const tableCounter: TokenCounter = createTokenCounter('table-o200k-1', estimateTokens);

/**
 * The rule of thumb of the articles on OpenClaw: Han characters (U+4E00 to U+9FFF) / 1.5 + all other UTF-16 code units
 * / 4, rounded up. It is some 27 % off and far too low for kana, Hangul and encoded data; use it only to compare.
 */
export const heuristicCounter: TokenCounter = createTokenCounter('heuristic-1', countByScript);

/** Role and separators around a message. OpenAI's guide to counting chat tokens gives 3 to 4 for its models. */
const tokensPerMessage = 4;

/**
 * An image as large as providers keep it. Anthropic bills width × height / 750 tokens and scales images down until they
 * are at most some 1,600; its newest models go up to 4,784. OpenAI's tiles come to 1,105 for a large image.
 */
const tokensPerImage = 1_600;

/** One dense page of a PDF: the upper end of the 1,500 to 3,000 tokens a page that Anthropic documents. */
const tokensPerFile = 3_000;

function attachmentTokens(parts: readonly MessagePart[]): number {
  let tokens = 0;
  for (const part of parts) {
    if (part.type === 'image') tokens += tokensPerImage;
    if (part.type === 'file') tokens += part.mediaType.startsWith('image/') ? tokensPerImage : tokensPerFile;
    if (part.type === 'tool-result' && part.output.type === 'content') tokens += attachmentTokens(part.output.value);
  }
  return tokens;
}

function countByScript(text: string): number {
  let hanUnits = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0x4e00 && unit <= 0x9fff) hanUnits++;
  }
  return Math.ceil(hanUnits / 1.5 + (text.length - hanUnits) / 4);
}
