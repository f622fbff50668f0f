/** Words for the user. */
const speaker =
  /\busers?\b|用户|用戶|使用者|ユーザ|사용자|\bnutzer|\bbenutzer|\butilisat|\busuari|\busuári|пользовател/iu;

/** Words, or a colon, that put what follows into somebody's mouth. */
const speech = new RegExp(
  [
    '\\b(?:said|says|ask(?:s|ed)?|told|tells|wrote|writes|repl(?:y|ies|ied)|answer(?:s|ed)?|confirm(?:s|ed)?',
    '|approv(?:es?|ed)|agree[sd]?|request(?:s|ed)?|instruct(?:s|ed)?|want(?:s|ed)?|insist(?:s|ed)?|stated?|demand(?:s|ed)?',
    '|sagte?|bat|bittet|will|wollte|schrieb|dit|demande|dijo|pidió|disse|pediu)\\b',
    '|[:：(]|说|說|要求|表示|确认|同意|问|写|言|述べ|確認|承認|依頼|말|요청|확인|сказал|попросил|написал',
  ].join(''),
  'iu',
);

const quotation =
  /"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|「([^」]+)」|『([^』]+)』|(?<=^|[\s(:])'([^']+)'(?=[\s.,;:!?)]|$)/gu;

/** What a text puts into the user's mouth, in the order of its lines. */
export function quotesOfUser(text: string): readonly string[] {
  return text.split('\n').flatMap((line) =>
    [...line.matchAll(quotation)].flatMap((match) => {
      const before = line.slice(0, match.index);
      if (!speaker.test(before) || !speech.test(before)) return [];
      return match.slice(1).filter((group) => group !== undefined);
    }),
  );
}

/** True when a line quotes the user with words that stand in none of the texts, which are {@link comparable}. */
export function misquotesUser(line: string, said: readonly string[]): boolean {
  return quotesOfUser(line).some((quoted) => !said.some((text) => holds(text, quoted)));
}

/** A text as {@link misquotesUser} compares it. */
export function comparable(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[“”„«»「」『』]/g, '"')
    .replace(/[‘’]/g, "'")
    .replace(/[\s⏎]+/g, ' ')
    .trim();
}

/** Whether each piece of a quotation stands in the text as whole words; pieces are parted by an ellipsis. */
function holds(text: string, quoted: string): boolean {
  const pieces = comparable(quoted)
    .split(/…|\.{3}/)
    .map((piece) => piece.replace(/^[\s"'.,;:!?]+|[\s"'.,;:!?]+$/g, ''))
    .filter((piece) => piece !== '');
  return pieces.length > 0 && pieces.every((piece) => holdsWords(text, piece));
}

/** Whether words stand in a text without being part of longer ones; scripts without spaces have no such parts. */
export function holdsWords(text: string, words: string): boolean {
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    if (!/\w/.test(text[at - 1] ?? '') || !/^\w/.test(words)) {
      if (!/\w/.test(text[at + words.length] ?? '') || !/\w$/.test(words)) return true;
    }
  }
  return false;
}
