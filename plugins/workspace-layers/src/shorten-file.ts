import { cutText } from '@varve/core';

/** Of what a file may take, its beginning gets this share, and its end that. */
const headShare = 0.7;
const tailShare = 0.2;

/**
 * Head and tail of a text that is longer than `limit` UTF-16 code units, with a note of what is left out between them.
 * The tail begins with a whole line, so that no line loses the mark that stands before it.
 */
export function shortenFile(text: string, { path, limit }: { readonly path: string; readonly limit: number }): string {
  if (text.length <= limit) return text;
  const head = cutText(text, 0, Math.floor(limit * headShare)).trimEnd();
  const end = text.slice(text.length - Math.floor(limit * tailShare));
  const tail = end.slice(end.indexOf('\n') + 1 || end.length).trimStart();
  const leftOut = text.length - head.length - tail.length;
  return `${head}\n\n(… ${leftOut} characters of ${path} left out …)\n\n${tail}`;
}
