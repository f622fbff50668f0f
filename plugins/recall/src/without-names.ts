import { termsOfText } from '@varve/core';

/**
 * A question without the names of speakers: whom it names is known by who speaks, and the name in a text is mostly that
 * of who is spoken to.
 *
 * @param names  Terms of the names.
 */
export function withoutNames(text: string, names: Pick<ReadonlySet<string>, 'has' | 'size'>): string {
  if (names.size === 0) return text;
  const isName = (word: string): boolean => {
    const terms = termsOfText(word);
    return terms.length > 0 && terms.every((term) => names.has(term));
  };
  return text.replace(/[\p{L}\p{M}'’-]+/gu, (word) => (isName(word) ? ' ' : word));
}
