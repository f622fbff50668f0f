/** How far around an identifier is read, in UTF-16 code units. */
const reach = 60;

/** What stands before an identifier that is what something is: `the port is 5433`, `port: 5433`, `set … to 5433`. */
const before = new RegExp(
  [
    '(?<!\\b(?:what|where|which|who|how|when) )\\b(?:is|are|was|were|be|called|named|ist|sind|war|heißt|est|sont|es|son)',
    '[=:：→]',
    '[是为為は]',
    '\\b(?:set|moved?|changed?|switch(?:ed)?|pinned|bumped|renamed)\\b[^.;]*\\bto',
  ]
    .map((one) => `(?:${one})[\\s"'\\x60(]*$`)
    .join('|'),
  'iu',
);

/** What stands behind one that something is: `5433 is the port`, `use 5433 as the port`, `5433 turned out to be`. */
const behind =
  /^["'`)]*\s+(?:(?:is|are|was|were|as|turned out to be) (?:the|our|my|its)|(?:ist|sind|war|als) (?:der|die|das)|(?:est|comme) l[ae]|(?:es|como) (?:el|la))\b|^["'`)]*\s*[是为為は]/iu;

/**
 * True where a text says that something is this identifier, on its line: what people say of ports, ids and places, not
 * where a file is only named.
 */
export function isStatedAt(text: string, { start, end }: { readonly start: number; readonly end: number }): boolean {
  const left = text.slice(Math.max(0, start - reach), start);
  const line = left.slice(left.lastIndexOf('\n') + 1);
  return before.test(line) || behind.test(text.slice(end, end + reach));
}
