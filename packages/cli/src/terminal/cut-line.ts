import { cutText } from '@varve/core';
import { printableText } from './printable-text.ts';

/** A text of somebody else on one line that can be printed, with an ellipsis in the place of what is too long for it. */
export function cutLine(text: string, longest: number): string {
  const line = printableText(text);
  return line.length > longest ? `${cutText(line, 0, longest - 1)}…` : line;
}
