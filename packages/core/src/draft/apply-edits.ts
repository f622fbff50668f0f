import type { Message, MessagePart } from '../message.ts';
import { withText } from '../text-of-output.ts';

/** What stands for a text that an edit took away. Providers refuse blank texts. */
const emptiedText = '[left out]';

/**
 * Replaces the texts of some parts, by their index, or of all of a message's text; never their kind, ids or place. In
 * the place of an image or a file stands a text. An edit cannot make a message vanish: see {@link textOfEdit}.
 */
export function applyEdits(message: Message, texts: ReadonlyMap<number, string>): Message {
  const shown = (part: MessagePart, index: number): MessagePart => {
    const given = texts.get(index);
    if (given === undefined) return part;
    if (part.type === 'tool-result') return { ...part, output: withText(part.output, textOfEdit(given)) };
    if (part.type === 'image' || part.type === 'file') return { type: 'text', text: textOfEdit(given) };
    return part.type === 'text' || part.type === 'reasoning' ? { ...part, text: textOfEdit(given) } : part;
  };
  if (typeof message.content !== 'string') return { ...message, content: message.content.map(shown) } as Message;
  const [text] = [...texts.values()].slice(-1);
  return text === undefined ? message : ({ ...message, content: textOfEdit(text) } as Message);
}

/** What is shown for the text of an edit: where it is blank, a text that says so, in this draft and in all later ones. */
export function textOfEdit(text: string): string {
  return text.trim() === '' ? emptiedText : text;
}
