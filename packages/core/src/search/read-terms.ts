import { CharacterClass, characterClasses, isHighHan } from './character-class.ts';
import { englishStem } from './english-stem.ts';
import { irregularForms } from './irregular-forms.ts';
import { stopWords } from './stop-words.ts';

/** Longer words are encoded data: nobody looks for them. In UTF-16 code units, as are all lengths here. */
const maxWordLength = 64;

/** Longer names made of several words are known by their words alone. */
const maxNameLength = 200;

/** Called for each term, in the order of the text, repeats included. */
export type TermVisitor = (term: string) => void;

/**
 * The words of a text as an index knows them, in order, repeats included.
 *
 * - Words in lower case, without accents, stemmed as English ones; words of every sentence are left out.
 * - Names made of several words (`readFile`, `read_file`, `src/a.ts`, `ABC-123`, `2026-03-02`) as a whole and as their
 *   words; numbers without the commas of thousands and leading zeros.
 * - Scripts without spaces, and Hangul, as pairs of neighbouring characters; a character on its own as itself.
 *
 * Takes time in proportion to the text, whatever is in it.
 */
export function termsOfText(text: string): readonly string[] {
  const terms: string[] = [];
  visitTerms(text, (term) => terms.push(term));
  return terms;
}

/** Like {@link termsOfText}, but tells of each term. */
export function visitTerms(given: string, visit: TermVisitor): void {
  // Full-width letters, ligatures and Jamo become the characters that they stand for.
  const text = unusual.test(given) ? given.normalize('NFKC') : given;
  const classes = characterClasses();
  let index = 0;
  while (index < text.length) {
    const unit = text.charCodeAt(index);
    const kind = classes[unit] as number;
    if (kind === CharacterClass.dense || isHighHan(unit)) index = visitDense(text, index, visit);
    else if (isWord(kind)) index = visitName(text, index, visit);
    else index += 1;
  }
}

const unusual = /[\u0300-\uffff]/;

function isWord(kind: number): boolean {
  return kind === CharacterClass.letter || (kind >= CharacterClass.lower && kind <= CharacterClass.underscore);
}

/** Tells of the pairs of a run of dense characters, and returns where it ends. */
function visitDense(text: string, start: number, visit: TermVisitor): number {
  const classes = characterClasses();
  let before = -1;
  let at = start;
  let count = 0;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    const length = isHighHan(unit) ? 2 : 1;
    if (length === 1 && classes[unit] !== CharacterClass.dense) break;
    if (before >= 0) visit(text.slice(before, at + length));
    before = at;
    at += length;
    count += 1;
  }
  if (count === 1) visit(text.slice(start, at));
  return at;
}

/** Tells of a run of words that joiners hold together, and returns where it ends. */
function visitName(text: string, start: number, visit: TermVisitor): number {
  const classes = characterClasses();
  const kindAt = (index: number): number => classes[text.charCodeAt(index)] ?? 0;
  let end = start;
  let wordStart = start;
  let words = 0;
  let hasDigit = false;
  let onlyDashes = true;
  const endWord = (): void => {
    visitWord(text.slice(wordStart, end), visit);
    words += 1;
  };
  for (; end < text.length; end += 1) {
    const kind = kindAt(end);
    if (kind === CharacterClass.digit) hasDigit = true;
    if (isWord(kind)) continue;
    if (kind !== CharacterClass.joiner || !joins(text, end)) break;
    if (text[end] !== '-') onlyDashes = false;
    endWord();
    wordStart = end + 1;
  }
  endWord();
  if (words > 1 && (hasDigit || !onlyDashes) && end - start <= maxNameLength) {
    visit(text.slice(start, end).toLowerCase().replaceAll(',', ''));
  }
  return end;
}

/** Whether what stands at `index` holds the words on both sides together. A comma does so inside a number alone. */
function joins(text: string, index: number): boolean {
  const classes = characterClasses();
  const before = classes[text.charCodeAt(index - 1)] ?? 0;
  const behind = classes[text.charCodeAt(index + 1)] ?? 0;
  if (text[index] === ',') return before === CharacterClass.digit && behind === CharacterClass.digit;
  return isWord(behind);
}

function visitWord(word: string, visit: TermVisitor): void {
  if (word.length > maxWordLength) return;
  const known = simpleWords.get(word);
  if (known !== undefined) {
    if (known !== '') visit(known);
    return;
  }
  const pieces = word.replace(/_+/g, ' ').replace(humps, '$& ').trim().split(' ');
  if (pieces.length === 1) {
    const term = termOfWord(pieces[0] as string);
    remember(word, term);
    if (term !== '') visit(term);
    return;
  }
  visit(word.toLowerCase());
  for (const piece of pieces) {
    const term = termOfWord(piece);
    if (term !== '') visit(term);
  }
}

/** `readFile` → `read File`, `JSONFile` → `JSON File`. */
const humps = /[a-z0-9](?=[A-Z])|[A-Z](?=[A-Z][a-z])/g;

/** The terms of words met before: most words of most texts. Emptied when it is full. */
const simpleWords = new Map<string, string>();
const maxSimpleWords = 20_000;

function remember(word: string, term: string): void {
  if (simpleWords.size >= maxSimpleWords) simpleWords.clear();
  simpleWords.set(ownCopy(word), term);
}

/** A text that holds on to nothing: a slice keeps all of what it was cut from in memory. */
export function ownCopy(text: string): string {
  return text.length < 13 ? text : ` ${text}`.slice(1);
}

const accents = /[\u0300-\u036f]/g;
const outsideAscii = /[\u0080-\uffff]/;
const standFor: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ı: 'i' };

/** The term of a single word; empty for one that tells nothing. */
function termOfWord(piece: string): string {
  const lower = piece.toLowerCase();
  const word = outsideAscii.test(lower) ? withoutAccents(lower) : lower;
  if (stopWords.has(word)) return '';
  if (/^\d/.test(word)) return word.replace(/^0(?=\d$)/, '').replace(/^(\d+)(?:st|nd|rd|th)$/, '$1');
  if (word.length === 1 && word <= 'z') return '';
  return englishStem(irregularForms.get(word) ?? word);
}

function withoutAccents(word: string): string {
  const plain = word.normalize('NFKD').replace(accents, '').normalize('NFC');
  return plain.replace(/[ßæœøłđı]/g, (letter) => standFor[letter] ?? letter);
}
