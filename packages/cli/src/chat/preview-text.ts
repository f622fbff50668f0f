import { cutText, type Message, partsOfMessage } from '@varve/core';

const mostCharacters = 60;

/** The beginning of what a message says, in one line. */
export function previewText(message: Message): string {
  const text = partsOfMessage(message)
    .flatMap((part) => (part.type === 'text' ? [part.text] : [`[${part.type}]`]))
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return text.length <= mostCharacters ? text : `${cutText(text, 0, mostCharacters)}…`;
}
