import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** What frames a message, in tokens. */
const tokensPerMessage = 4;

/** Text that looks like a special token is text. */
const asText = { disallowedSpecial: new Set() };

const known = new Map();

/** o200k tokens of a text; counted once a text. */
export function tokensOfText(text) {
  let tokens = known.get(text);
  if (tokens === undefined) {
    tokens = countTokens(text, asText);
    known.set(text, tokens);
  }
  return tokens;
}

/** Tokens of a body's text: system, texts, inputs of tools as compact JSON, results, and 4 a message. */
export function tokensOfBody({ system = [], messages = [] }) {
  const blocks = [...system, ...messages.flatMap((message) => message.content)];
  const tokens = blocks.flatMap(textsOfBlock).map(tokensOfText);
  return tokens.reduce((sum, one) => sum + one, tokensPerMessage * messages.length);
}

function textsOfBlock(block) {
  if (block.type === 'text') return [block.text];
  if (block.type === 'thinking') return [block.thinking];
  if (block.type === 'tool_use') return [JSON.stringify(block.input)];
  if (block.type !== 'tool_result') return [];
  return typeof block.content === 'string' ? [block.content] : block.content.flatMap(textsOfBlock);
}
