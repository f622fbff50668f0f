/** True for the second half of a character outside the basic plane: a text may not be cut before it. */
export function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** A slice that neither begins nor ends inside a character: it gives way inwards, by one code unit at most on each side. */
export function cutText(text: string, from: number, to: number = text.length): string {
  const start = from > 0 && from < text.length && splits(text, from) ? from + 1 : from;
  const end = to > 0 && to < text.length && splits(text, to) ? to - 1 : to;
  return start < end ? text.slice(Math.max(0, start), end) : '';
}

/** True when a cut before `index` would part the two halves of one character. */
function splits(text: string, index: number): boolean {
  const before = text.charCodeAt(index - 1);
  return isLowSurrogate(text.charCodeAt(index)) && before >= 0xd800 && before <= 0xdbff;
}
