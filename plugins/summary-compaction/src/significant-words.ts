/** Words that say nothing of what a line is about. */
const empty = new Set(
  'about after also been before could does from have here into just like made make more must need next only over please should some step such task than that them then there they this user want were what when which will with would your'.split(
    ' ',
  ),
);

/** Letters that tell a word from another one: `rename`, `renamed` and `renaming` are the same. */
const stemLength = 5;

/** What a text is about: its words without endings, names as they are, and pairs of characters where no spaces stand. */
export function significantWords(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  for (const [run] of text.toLowerCase().matchAll(/[\p{L}\p{N}_./-]+/gu)) {
    const plain = run.replace(/^[./-]+|[./-]+$/g, '');
    if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(plain)) addPairs(plain, words);
    else if (!/^\p{L}+$/u.test(plain)) words.add(plain);
    else if (plain.length >= 4 && !empty.has(plain)) words.add(plain.slice(0, stemLength));
  }
  words.delete('');
  return words;
}

function addPairs(run: string, words: Set<string>): void {
  const characters = [...run];
  for (let index = 0; index + 1 < characters.length; index += 1) words.add(characters.slice(index, index + 2).join(''));
}

/** How much of what one text is about stands in the other, from 0 to 1; 1 for a text that is about nothing. */
export function coverage(text: string, by: string): number {
  const words = significantWords(text);
  const found = significantWords(by);
  return words.size === 0 ? 1 : [...words].filter((word) => found.has(word)).length / words.size;
}
