import { type Draft, type Item, isRecovered, type Tokens } from '@varve/core';

/** How much of the newest part is to be kept; `null` for no wish. */
export interface KeepWishes {
  readonly keepRecentTokens: Tokens | null;
  readonly keepRecentMessages: number | null;
  /** Results with this many assistant messages behind them are masked, and cost next to nothing; `null`: none are. */
  readonly maskToolResultsAfterAssistants: number | null;
}

/** What a masked result costs, with its frame. */
const tokensOfMask = 30;

/** The smaller of the two wishes, in tokens of what is kept; `undefined` when there is none. */
export function keepTokensOf(draft: Draft, wishes: KeepWishes): Tokens | undefined {
  const { keepRecentTokens, keepRecentMessages } = wishes;
  const ofMessages = keepRecentMessages === null ? Infinity : tokensOfNewest(draft, wishes, keepRecentMessages);
  const least = Math.min(keepRecentTokens ?? Infinity, ofMessages);
  return least === Infinity ? undefined : least;
}

function tokensOfNewest({ items }: Draft, wishes: KeepWishes, count: number): Tokens {
  const maskAfter = wishes.maskToolResultsAfterAssistants ?? Infinity;
  let assistantsBehind = 0;
  let tokens = 0;
  for (const item of items.slice(-count).toReversed()) {
    const isMasked = isMaskable(item) && assistantsBehind >= maskAfter;
    tokens += isMasked ? Math.min(item.tokens, tokensOfMask) : item.tokens;
    if (item.message.role === 'assistant') assistantsBehind += 1;
  }
  return tokens;
}

/** What was fetched back stays whole. */
function isMaskable({ message }: Item): boolean {
  return message.role === 'tool' && !message.content.some(isRecovered);
}
