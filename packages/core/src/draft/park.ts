import { cutText } from '../cut-text.ts';
import type { Message, TextPart, ToolResultPart } from '../message.ts';
import { textOfOutput, withText } from '../text-of-output.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';

/** Characters that stay of a parked text on each side: about 150 tokens in all, enough to see what it was. */
const keptCharacters = 300;

/** Texts below this many characters gain nothing by being parked. */
const leastCharacters = 900;

/**
 * Shortens the long texts of a message to head, tail and a pointer to the entry that holds the whole.
 * Tool calls, ids and roles stay as they are; a message without a long text is returned itself.
 */
export function parkMessage(
  message: Message,
  { name, counter }: { readonly name: string; readonly counter: TokenCounter },
): Message {
  if (message.role === 'system') return message;
  if (typeof message.content === 'string') {
    if (message.content.length < leastCharacters) return message;
    return { ...message, content: parkText(message.content, { name, counter }) } as Message;
  }
  let changed = false;
  const content = message.content.map((part) => {
    const parked = parkPart(part as TextPart | ToolResultPart, { name, counter });
    changed ||= parked !== part;
    return parked;
  });
  return changed ? ({ ...message, content } as Message) : message;
}

/** Head and tail of a text with a note of what is left out between them. */
export function parkText(
  text: string,
  { name, counter }: { readonly name: string; readonly counter: TokenCounter },
): string {
  const head = cutText(text, 0, keptCharacters);
  const tail = cutText(text, text.length - keptCharacters);
  const middle = text.slice(head.length, text.length - tail.length);
  const lines = middle.split('\n').length;
  return `${head}\n[… ${lines} lines, about ${counter.count(middle)} tokens left out; the whole is in ${name} …]\n${tail}`;
}

function parkPart(
  part: TextPart | ToolResultPart,
  options: { readonly name: string; readonly counter: TokenCounter },
): TextPart | ToolResultPart {
  if (part.type === 'text') {
    return part.text.length < leastCharacters ? part : { ...part, text: parkText(part.text, options) };
  }
  if (part.type !== 'tool-result') return part;
  const text = textOfOutput(part.output);
  if (text.length < leastCharacters) return part;
  return { ...part, output: withText(part.output, parkText(text, options)) };
}
