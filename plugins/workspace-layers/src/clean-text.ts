/** Line breaks of every kind. */
const breaks = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/;

/**
 * What a reader does not see but a model reads, or what makes a reader see another order: control characters, marks and
 * overrides of the writing direction, the byte-order mark, tag characters. Tabs stay.
 */
const unseen = /(?!\t)[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** The lines of a text as they may be shown to a model: nothing unseen, no half of a character. */
export function cleanLines(text: string): readonly string[] {
  return text.split(breaks).map((line) =>
    line
      .replace(unseen, '')
      .replace(/\p{Surrogate}/gu, '\ufffd')
      .trimEnd(),
  );
}

/** The same as one text, without blank lines at its ends. */
export function cleanText(text: string): string {
  return cleanLines(text).join('\n').replace(/^\n+/, '').trimEnd();
}

/** A text on one line. */
export function oneCleanLine(text: string): string {
  return cleanLines(text)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
}
