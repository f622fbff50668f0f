/** A text without characters that would move the cursor or colour the terminal: names and errors may hold them. */
export function printableText(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, '\uFFFD');
}
