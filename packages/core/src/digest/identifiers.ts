import { type IdentifierKind, isEncoded, isPath, kindOfName, kindOfWord } from './identifier-kind.ts';

/** Called for each identifier, in the order of the text, repeats included. `start` is its index in the text. */
export type IdentifierVisitor = (identifier: string, kind: IdentifierKind, start: number) => void;

/** Shortest identifier, in UTF-16 code units: shorter words are rarely unique. */
const minLength = 4;

/** Longest identifier: what is longer is encoded data, not something that a model repeats. */
const maxLength = 200;

/**
 * Finds what an agent must be able to copy exactly: URLs, paths, names from code, ids, versions, dates, numbers.
 *
 * Takes time in proportion to the text, whatever is in it: one pass cuts the text into runs of the characters that
 * identifiers consist of, each run is cut into words once, and regular expressions see single runs of at most
 * `maxLength` characters, are anchored, and have no two neighbouring quantifiers that match the same character.
 * Other scripts separate, so identifiers inside Chinese or Japanese prose are found.
 *
 * @returns Each identifier once (4 to 200 code units), with its kind, in order of its first appearance.
 */
export function extractIdentifiers(text: string): ReadonlyMap<string, IdentifierKind> {
  const found = new Map<string, IdentifierKind>();
  scanIdentifiers(text, (identifier, kind) => {
    if (!found.has(identifier)) found.set(identifier, kind);
  });
  return found;
}

/** Like {@link extractIdentifiers}, but tells of each appearance. *Contract:* `visit` may not throw. */
export function scanIdentifiers(text: string, visit: IdentifierVisitor): void {
  const scan: Scan = { text, visit };
  let index = 0;
  while (index < text.length) {
    const start = index;
    let mask = 0;
    let bit = bitAt(text, index);
    while (bit !== 0 && !(bit === Bit.slash && text.charCodeAt(index - 1) === slashUnit && index > start)) {
      mask |= bit;
      index += 1;
      bit = bitAt(text, index);
    }
    if (index === start) index = skipBoundary(scan, index);
    else if (text.startsWith('://', index)) index = visitUrl(scan, start, index);
    else if ((mask & Bit.word) !== 0 && (mask & ~(Bit.lower | Bit.dash)) !== 0) index = visitRun(scan, start, index);
  }
}

interface Scan {
  readonly text: string;
  readonly visit: IdentifierVisitor;
}

/** Classes of the characters that a run may hold. */
const Bit = {
  lower: 1,
  upper: 2,
  digit: 4,
  underscore: 8,
  dot: 16,
  dash: 32,
  slash: 64,
  joiner: 128,
  word: 7,
} as const;

const slashUnit = 0x2f;

/** Class of each code unit up to the end of Latin Extended-B; all others end a run. */
const bits: Uint8Array = fillBits();

function fillBits(): Uint8Array {
  const table = new Uint8Array(0x250);
  // Letters with marks count as lower case: they occur in names, but never as the hump of one.
  for (let unit = 0xc0; unit < table.length; unit++) if (unit !== 0xd7 && unit !== 0xf7) table[unit] = Bit.lower;
  for (let unit = 0x61; unit <= 0x7a; unit++) table[unit] = Bit.lower;
  for (let unit = 0x41; unit <= 0x5a; unit++) table[unit] = Bit.upper;
  for (let unit = 0x30; unit <= 0x39; unit++) table[unit] = Bit.digit;
  const others = [
    ['_', Bit.underscore],
    ['.', Bit.dot],
    ['-', Bit.dash],
    ['/', Bit.slash],
    ['@', Bit.joiner],
    ['+', Bit.joiner],
    ['~', Bit.joiner],
  ] as const;
  for (const [character, bit] of others) table[character.charCodeAt(0)] = bit;
  return table;
}

function bitAt(text: string, index: number): number {
  return bits[text.charCodeAt(index)] ?? 0;
}

function isDigitAt(text: string, index: number): boolean {
  return bitAt(text, index) === Bit.digit;
}

function tell({ text, visit }: Scan, kind: IdentifierKind, [start, end]: readonly [number, number]): void {
  if (end - start >= minLength && end - start <= maxLength) visit(text.slice(start, end), kind, start);
}

/** A colour or style of a terminal, behind its escape character or where that was lost. */
const styleShape = /\[\d{1,3}(?:;\d{1,3}){0,4}m/y;

const colourShape = /#(?=[a-f]{0,5}\d)[\da-f]{6}(?!\w)/iy;

/** Steps over what is not part of a run: escapes of JSON and terminals, `#123`, and money with its sign. */
function skipBoundary(scan: Scan, index: number): number {
  const { text } = scan;
  const character = text[index];
  if (character === '\\') {
    const next = text[index + 1];
    if (next === 'u') return index + 6;
    return next === 'n' || next === 'r' || next === 't' ? index + 2 : index + 1;
  }
  if (character === '#') return visitTicket(scan, index);
  if (!isDigitAt(text, index + 1)) return index + 1;
  if (character === '[') {
    styleShape.lastIndex = index;
    return styleShape.test(text) ? styleShape.lastIndex : index + 1;
  }
  if (character === '$' || character === '€' || character === '£' || character === '¥') {
    const end = numberEnd(text, index + 1);
    tell(scan, 'number', [index, end]);
    return end;
  }
  return index + 1;
}

/** `#123`, or a colour such as `#ff8800`. */
function visitTicket(scan: Scan, start: number): number {
  const { text } = scan;
  let end = digitsEnd(text, start + 1);
  colourShape.lastIndex = start;
  if (colourShape.test(text)) end = colourShape.lastIndex;
  else if (bitAt(text, end) !== 0) return start + 1;
  if (end - start <= 10) tell(scan, 'code', [start, end]);
  return end;
}

/** End of a number with groups of three digits and a fraction, such as `1,234,567.89`. */
function numberEnd(text: string, start: number): number {
  let end = digitsEnd(text, start);
  if (end - start <= 3) while (text[end] === ',' && digitsEnd(text, end + 1) === end + 4) end += 4;
  return text[end] === '.' && isDigitAt(text, end + 1) ? digitsEnd(text, end + 1) : end;
}

function digitsEnd(text: string, start: number): number {
  let end = start;
  while (isDigitAt(text, end)) end += 1;
  return end;
}

/** Characters that end a URL in prose, code and Markdown; so does everything outside ASCII. */
const urlEnds = new Set('"\'`<>)]}\\,|'.split('').map((character) => character.charCodeAt(0)));

function visitUrl(scan: Scan, start: number, schemeEnd: number): number {
  const { text } = scan;
  let end = schemeEnd + 3;
  for (let unit = text.charCodeAt(end); unit > 0x20 && unit < 0x7f && !urlEnds.has(unit); unit = text.charCodeAt(end)) {
    end += 1;
  }
  let last = end;
  while (last > schemeEnd && '.;:!?'.includes(text[last - 1] as string)) last -= 1;
  // A long URL is mostly its query; without one it is data.
  if (last - start > maxLength) last = start + text.slice(start, start + maxLength).search(/[?#]/);
  if (last > schemeEnd + 3) tell(scan, 'url', [start, last]);
  return end;
}

const dateShape = /\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?(?![\w-])/y;
const hanDateShape = /\d{4}年\d{1,2}月(?:\d{1,2}日)?/y;

/** Looks at one run of identifier characters. @returns Where to go on: its end, or behind it when more belonged to it. */
function visitRun(scan: Scan, runStart: number, runEnd: number): number {
  const { text } = scan;
  if (isDigitAt(text, runStart)) {
    for (const shape of [dateShape, hanDateShape]) {
      shape.lastIndex = runStart;
      if (!shape.test(text)) continue;
      tell(scan, 'date', [runStart, shape.lastIndex]);
      return Math.max(runEnd, shape.lastIndex);
    }
    if (text[runEnd] === ',') {
      const end = numberEnd(text, runStart);
      if (end > runEnd) {
        tell(scan, 'number', [runStart, end]);
        return end;
      }
    }
  }
  if (text[runEnd] === ':' && text[runEnd + 1] === '\\' && runEnd - runStart === 1) return visitDrive(scan, runStart);
  const [start, end] = trimRun(text, runStart, runEnd);
  if (end - start >= minLength && end - start <= maxLength) visitTrimmed(scan, start, end);
  return runEnd;
}

/** A Windows path from its drive letter on. */
function visitDrive(scan: Scan, start: number): number {
  let end = start + 2;
  while (bitAt(scan.text, end) !== 0 || scan.text[end] === '\\') end += 1;
  let last = end;
  while ('.-\\'.includes(scan.text[last - 1] as string)) last -= 1;
  tell(scan, 'path', [start, last]);
  return end;
}

/** Cuts off the punctuation around a run; `./`, `../`, `~/`, `@scope/` and `.env` keep their first characters. */
function trimRun(text: string, runStart: number, runEnd: number): readonly [number, number] {
  let start = runStart;
  let end = runEnd;
  while (end > start && '.-/@+~'.includes(text[end - 1] as string)) end -= 1;
  while (start < end && '.-@+~'.includes(text[start] as string) && !isLeading(text, start)) start += 1;
  return [start, end];
}

/** Whether the punctuation at an index belongs to what follows. */
function isLeading(text: string, index: number): boolean {
  const isBeforeLetter = bitAt(text, index + 1) === Bit.lower;
  if (text[index] === '@') return isBeforeLetter;
  if (text[index] === '~') return text[index + 1] === '/';
  if (text[index] !== '.') return false;
  return (
    text.startsWith('./', index) || text.startsWith('../', index) || (isBeforeLetter && bitAt(text, index - 1) === 0)
  );
}

function visitTrimmed(scan: Scan, start: number, end: number): void {
  const run = scan.text.slice(start, end);
  if (!run.includes('/')) visitName(scan, start, run);
  else if (isEncoded(run)) return;
  else if (isPath(run)) tell(scan, 'path', [start, end]);
  else eachPiece(run, '/', (piece, at) => visitName(scan, start + at, piece));
}

/** A run without separators of paths: an identifier as a whole, or else word by word. */
function visitName(scan: Scan, start: number, name: string): void {
  const kind = kindOfName(name);
  const end = start + name.length;
  // What looks like a file but is called is a method: response.json().
  if (kind !== null && !(kind === 'file' && scan.text[end] === '(')) tell(scan, kind, [start, end]);
  else if (name.includes('@')) eachPiece(name, '@', (piece, at) => visitName(scan, start + at, piece));
  else eachPiece(name, '.-+~', (word, at) => visitWord(scan, start + at, word));
}

function visitWord(scan: Scan, start: number, word: string): void {
  const kind = kindOfWord(word);
  if (kind !== null) tell(scan, kind, [start, start + word.length]);
}

/** Calls back with each stretch between separators and its index. */
function eachPiece(text: string, separators: string, visit: (piece: string, at: number) => void): void {
  let start = 0;
  for (let index = 0; index <= text.length; index++) {
    if (index < text.length && !separators.includes(text[index] as string)) continue;
    if (index - start >= minLength) visit(text.slice(start, index), start);
    start = index + 1;
  }
}
