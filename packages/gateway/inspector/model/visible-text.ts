/** Characters that cannot be seen, but move, colour or turn what stands beside them. Tabs and line ends may stay. */
const hidden = /[\p{Cc}\p{Cs}\u2028\u2029]|(?![\u200C\u200D])\p{Cf}/gu;

/** A text with everything hidden in it made visible: what turns the direction of a line has no effect on the page. */
export function visibleText(text: string): string {
  return text.replaceAll(hidden, (character) =>
    character === '\n' || character === '\t' ? character : nameOf(character),
  );
}

/** The beginning of a text, in one line. */
export function previewOf(text: string, characters: number): string {
  // Only so much is looked at: a text may have megabytes.
  const line = visibleText(
    text
      .slice(0, 4 * characters)
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
  return line.length > characters ? `${line.slice(0, characters)}…` : line;
}

function nameOf(character: string): string {
  if (character === '\u001B') return '␛';
  return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
