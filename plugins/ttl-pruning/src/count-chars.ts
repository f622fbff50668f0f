import { type Draft, type Message, partsOfMessage, type ToolOutput, textsOfMessage } from '@varve/core';

/** What an image or a file counts as, in characters: the 2 000 tokens that a large image costs, at 4 each. */
const charsPerAttachment = 8_000;

/**
 * Characters of a conversation: its messages, and the summary and other layers that stand in it. The system prompt does
 * not count. A character is a UTF-16 code unit, what `length` counts.
 */
export function charsOfDraft({ items, layers }: Draft): number {
  const ofLayers = layers.filter((layer) => layer.place !== 'system').map((layer) => layer.text.length);
  return sum(ofLayers) + sum(items.map(({ message }) => charsOfMessage(message)));
}

/** Characters of a message: its texts, and 8 000 for each image or file. */
export function charsOfMessage(message: Message): number {
  const attachments = partsOfMessage(message).map((part) => {
    if (part.type === 'tool-result') return attachmentsOf(part.output);
    return part.type === 'image' || part.type === 'file' ? 1 : 0;
  });
  return sum(textsOfMessage(message).map((text) => text.length)) + sum(attachments) * charsPerAttachment;
}

/** Number of images and files in a result. */
export function attachmentsOf(output: ToolOutput): number {
  return output.type === 'content' ? output.value.filter((part) => part.type !== 'text').length : 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
