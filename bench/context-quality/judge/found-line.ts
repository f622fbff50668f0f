import { normalized } from './sentences.ts';

/** Characters on each side of an identifier that make a line recognisable. */
const around = 30;

/** Whether what a search gave holds an identifier with what stood beside it in one of its lines. */
export function holdsLine(
  found: readonly string[],
  { identifier, lines }: { readonly identifier: string; readonly lines: readonly string[] },
): boolean {
  const text = normalized(found.join('\n'));
  return lines.some((line) => {
    const at = line.indexOf(identifier);
    if (at < 0) return false;
    return text.includes(normalized(line.slice(Math.max(0, at - around), at + identifier.length + around)));
  });
}
