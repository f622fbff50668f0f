/** What may stand before the text of a line: blanks, quotes, and marks of lists. */
const startOfLine = /^(?:[\s>]|[*+-](?=\s)|\d{1,9}[.)](?=\s))*/;

/** What begins a section or a block of code: headings of both kinds, and fences. */
const blockMark = /^(?:#{1,6}(?:\s|$)|=+$|-+$|```|~~~)/;

/** What begins a tag. */
const tagMark = /^<(?=[/!?a-z])/i;

/**
 * A line of a note with nothing at its start that a reader of Markdown or of tags would take for the begin or the end of
 * something. The rest of it stays.
 */
export function plainLine(line: string): string {
  const start = startOfLine.exec(line)?.[0] ?? '';
  const text = line.slice(start.length);
  return `${start}${blockMark.test(text) ? '\\' : ''}${text.replace(tagMark, '&lt;')}`;
}
