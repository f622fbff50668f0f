/** How a long text is trimmed. Sizes in characters: UTF-16 code units, what `length` counts. */
export interface TrimOptions {
  /** Texts up to this length stay as they are. */
  readonly maxChars: number;
  /** Characters that stay of the beginning. */
  readonly headChars: number;
  /** Characters that stay of the end. */
  readonly tailChars: number;
}

/** Room for the note between head and tail: what is trimmed never becomes long enough to be trimmed again. */
const noteChars = 120;

/**
 * Keeps head and tail of a long text, with a note between them of what was left out, how long the text was, and the
 * entry that holds the whole (`name`, such as `#12`). A text that is not long, or would gain nothing, is returned itself.
 */
export function trimText(
  text: string,
  { maxChars, headChars, tailChars, name }: TrimOptions & { name: string },
): string {
  if (text.length <= Math.max(maxChars, headChars + tailChars + noteChars)) return text;
  const head = text.slice(0, endBefore(text, headChars));
  const tail = text.slice(startBehind(text, text.length - tailChars));
  const middle = text.slice(head.length, text.length - tail.length);
  const lines = middle.split('\n').length;
  const note = `[… ${lines} lines, ${middle.length} of ${text.length} characters left out; the whole is in ${name} …]`;
  return [head, note, tail].filter((part) => part !== '').join('\n');
}

/** The same index, or the one before when it would part a surrogate pair. */
function endBefore(text: string, index: number): number {
  return isInsidePair(text, index) ? index - 1 : index;
}

function startBehind(text: string, index: number): number {
  return isInsidePair(text, index) ? index + 1 : index;
}

function isInsidePair(text: string, index: number): boolean {
  return isSurrogate(text, index - 1, 0xd800) && isSurrogate(text, index, 0xdc00);
}

function isSurrogate(text: string, index: number, first: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= first && unit < first + 0x400;
}
