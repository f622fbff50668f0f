import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** What a message costs beside its text. */
export const messageTokens = 4;

/** Longer texts are rarely seen twice. */
const longestKept = 4_000;
const mostKept = 300_000;
const known = new Map<string, number>();

/** Tokens of a text by o200k; what was counted is remembered. */
export function tokensOf(text: string): number {
  if (text === '') return 0;
  const kept = known.get(text);
  if (kept !== undefined) return kept;
  const tokens = countTokens(text, { disallowedSpecial: new Set() });
  if (text.length <= longestKept || known.size < 5_000) {
    if (known.size >= mostKept) known.clear();
    known.set(text, tokens);
  }
  return tokens;
}
