/** Line breaks of every kind: of ASCII, of Latin-1 and of Unicode. */
const breaks = /[\n\v\f\r\u0085\u2028\u2029]+/;

/**
 * What a reader does not see but a model reads, or what makes a reader see another order: control characters, marks and
 * overrides of the writing direction, the byte-order mark, tag characters.
 */
const unseen = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/**
 * The text on one line: breaks become ` ⏎ `, unseen characters are taken out, a surrogate without its partner becomes
 * U+FFFD. What stands behind a fixed prefix on one line can neither start a section nor end one.
 */
export function oneLine(text: string): string {
  return linesOf(text).join(' ⏎ ');
}

/** The lines of a text that have something on them, each as `oneLine` leaves it. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split(breaks).map((line) => {
    // Halves first: between them may stand what is taken out, and together they would be an unseen character.
    const whole = line.replace(/\p{Surrogate}/gu, '\ufffd');
    return whole.replace(/\t/g, ' ').replace(unseen, '').trim();
  });
  return lines.filter((line) => line !== '');
}
