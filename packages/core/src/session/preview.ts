import { cutText } from '../cut-text.ts';
import { oneLine } from '../digest/one-line.ts';
import type { Message } from '../message.ts';
import { textsOfMessage } from '../tokens/texts-of-message.ts';

/**
 * The first characters of a message for people, on one line, with `…` where it goes on. Nothing in it moves a cursor or
 * turns the direction of what stands beside it.
 */
export function previewOf(message: Message, characters: number): string {
  const text = oneLine(textsOfMessage(message).join(' ').replaceAll(/\s+/g, ' '));
  return text.length > characters ? `${cutText(text, 0, characters)}…` : text;
}
