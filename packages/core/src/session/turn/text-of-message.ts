import { type Message, partsOfMessage } from '../../message.ts';

/**
 * What a message says in words: its text parts alone. An answer is joined as it was streamed, without a separator; what a
 * person sends is one part a paragraph.
 */
export function textOfMessage(message: Message): string {
  const texts = partsOfMessage(message).flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.join(message.role === 'assistant' ? '' : '\n');
}
