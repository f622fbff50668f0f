/**
 * Characters that move the cursor, colour the terminal, or change the direction of what stands beside them. Of those that
 * cannot be seen, only the two joiners of letters and emoji may stay.
 */
const unprintable = /[\p{Cc}\p{Cs}\u2028\u2029]|(?![\u200C\u200D])\p{Cf}/gu;

/** The same for JSON, whose own strings already have no C0 control and no lone surrogate in them. */
const unprintableInJson = /[\u007F-\u009F\p{Cf}\u2028\u2029]/gu;

/**
 * A text of somebody else as it may be printed: in one line, and with nothing in it that a terminal obeys. Names, rules,
 * messages and errors may hold such characters; everything that does not come from this program goes through here.
 */
export function printableText(text: string): string {
  return text.replaceAll(unprintable, '\uFFFD');
}

/** Text of several lines, such as a stack, with only its line ends left as they are. */
export function printableLines(text: string): string {
  return text.split('\n').map(printableText).join('\n');
}

/** A value as JSON that may be printed: what a terminal obeys is escaped, and every parser reads the same value. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(unprintableInJson, escaped);
}

function escaped(character: string): string {
  return [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
    .join('');
}
