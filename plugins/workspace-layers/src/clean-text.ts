import { linesOf } from '@varve/core';

/** Line breaks of every kind. */
const breaks = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/;

/**
 * The lines of a text as they may be shown to a model: nothing unseen, no half of a character. Blank lines, indentation
 * and tabs stay.
 */
export function cleanLines(text: string): readonly string[] {
  return text.split(breaks).map((line) => line.split('\t').map(cleanPart).join('\t').trimEnd());
}

/** What `linesOf` leaves of a part without breaks and tabs, between marks that keep its blanks. */
function cleanPart(part: string): string {
  return linesOf(`.${part}.`).join(' ').slice(1, -1);
}

/** The same as one text, without blank lines at its ends. */
export function cleanText(text: string): string {
  return cleanLines(text).join('\n').replace(/^\n+/, '').trimEnd();
}

/** A text on one line. */
export function oneCleanLine(text: string): string {
  return linesOf(text).join(' ');
}
