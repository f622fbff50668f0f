import { CharacterClass, characterClasses, isHighHan } from './character-class.ts';
import { englishStem } from './english-stem.ts';
import { irregularForms } from './irregular-forms.ts';
import { createKnownWords, type KnownWords } from './known-words.ts';
import { stopWords } from './stop-words.ts';
import { emptyHash, hashWith, type WordPlace } from './word-table.ts';

/** Longer words are encoded data: nobody looks for them. In UTF-16 code units, as are all lengths here. */
const maxWordLength = 64;

/** Longer names made of several words are known by their words alone. */
const maxNameLength = 200;

/**
 * Called for each term, in the order of the text, repeats included.
 *
 * @param number  Of a term of a word that was met before, its number in {@link knownWords}; else -1.
 */
export type TermVisitor = (term: string, number: number) => void;

/** The words met before: most words of most texts. */
export const knownWords: KnownWords = createKnownWords();

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
  // Not later: while a text is read, numbers of terms stay what they are.
  knownWords.makeRoom();
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
    if (before >= 0) visit(text.slice(before, at + length), -1);
    before = at;
    at += length;
    count += 1;
  }
  if (count === 1) visit(text.slice(start, at), -1);
  return at;
}

/** The word that is read. */
const word: WordPlace = { text: '', start: 0, end: 0, hash: 0 };

/** Tells of a run of words that joiners hold together, and returns where it ends. */
function visitName(text: string, start: number, visit: TermVisitor): number {
  const classes = characterClasses();
  let end = start;
  let words = 0;
  let hasDigit = false;
  let onlyDashes = true;
  let hash = emptyHash();
  word.text = text;
  word.start = start;
  for (; end < text.length; end += 1) {
    const unit = text.charCodeAt(end);
    const kind = classes[unit] as number;
    if (isWord(kind)) {
      if (kind === CharacterClass.digit) hasDigit = true;
      hash = hashWith(hash, unit);
      continue;
    }
    if (kind !== CharacterClass.joiner || !joins(text, end)) break;
    if (unit !== dash) onlyDashes = false;
    words += 1;
    visitWord(end, hash, visit);
    word.start = end + 1;
    hash = emptyHash();
  }
  words += 1;
  visitWord(end, hash, visit);
  if (words > 1 && (hasDigit || !onlyDashes) && end - start <= maxNameLength) {
    visit(text.slice(start, end).toLowerCase().replaceAll(',', ''), -1);
  }
  return end;
}

const dash = 0x2d;

/** Whether what stands at `index` holds the words on both sides together. A comma does so inside a number alone. */
function joins(text: string, index: number): boolean {
  const classes = characterClasses();
  const before = classes[text.charCodeAt(index - 1)] ?? 0;
  const behind = classes[text.charCodeAt(index + 1)] ?? 0;
  if (text[index] === ',') return before === CharacterClass.digit && behind === CharacterClass.digit;
  return isWord(behind);
}

/** Tells of the terms of the word that begins at `word.start`. */
function visitWord(end: number, hash: number, visit: TermVisitor): void {
  const length = end - word.start;
  if (length > maxWordLength || length === 0) return;
  word.end = end;
  word.hash = hash;
  let known = knownWords.find(word);
  if (known < 0) {
    const text = word.text.slice(word.start, end);
    const terms = termsOfWord(text);
    // Long ones with digits seldom come again, and would fill the table.
    if (length <= maxCodeLength || !digit.test(text)) known = knownWords.add(word, terms.map(ownCopy));
    if (known < 0) {
      for (const term of terms) visit(term, -1);
      return;
    }
  }
  const last = knownWords.firstTerm(known + 1);
  for (let number = knownWords.firstTerm(known); number < last; number += 1) visit(knownWords.term(number), number);
}

const maySplit = /[A-Z_]/;
const maxCodeLength = 4;
const digit = /\d/;

/** The terms of a word: of one made of several the whole, and its pieces. */
function termsOfWord(text: string): readonly string[] {
  if (!maySplit.test(text)) return [termOfWord(text)].filter((term) => term !== '');
  const pieces = text.replace(/_+/g, ' ').replace(humps, '$& ').trim().split(' ');
  const terms = pieces.map(termOfWord).filter((term) => term !== '');
  return pieces.length === 1 ? terms : [text.toLowerCase(), ...terms];
}

/** `readFile` → `read File`, `JSONFile` → `JSON File`. */
const humps = /[a-z0-9](?=[A-Z])|[A-Z](?=[A-Z][a-z])/g;

/** A text that holds on to nothing: a slice keeps all of what it was cut from in memory. */
function ownCopy(text: string): string {
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
