import { estimatorTable } from './estimator-table.ts';

/**
 * Estimates how many o200k tokens `text` has, without a tokenizer.
 *
 * One pass over the UTF-16 code units: each unit has a class, each pair of state and class has a weight and a next
 * state, and the estimate is the sum of the weights. It costs about as much as reading the string. The first call builds
 * the table (a few milliseconds); no call depends on an earlier one.
 *
 * Every string is accepted; a surrogate without its partner counts like the half of an emoji. The break at the end of a
 * line leads back to the first state, so that the lines of a text count the same alone and together, but for rounding.
 *
 * Good for texts that people and programs write. Invented words of nothing but consonants count far too low.
 *
 * @returns Tokens, a whole number: 0 for the empty text, else at least 1.
 */
export function estimateTokens(text: string): number {
  if (text === '') return 0;
  if (!isFilled) fillArrays();
  let row = 0;
  let tokens = 0;
  for (let index = 0; index < text.length; index++) {
    const cell = row + (unitClasses[text.charCodeAt(index)] as number);
    tokens += weights[cell] as number;
    row = nextRows[cell] as number;
  }
  return Math.max(1, Math.ceil(tokens));
}

// The arrays are constants, filled at the first use: the compiler then addresses them directly, which makes the loop a
// tenth faster on long texts and a quarter faster on short ones than arrays that are made at the first use.

/** Class of each UTF-16 code unit. */
const unitClasses = new Uint8Array(0x10000);

/** Tokens added at each cell: a row of the table (state × number of classes) plus a class. There is room for any row. */
const weights = new Float32Array(0x10000);

/** Row that follows each cell. */
const nextRows = new Uint16Array(0x10000);

let isFilled = false;

function fillArrays(): void {
  const { classes, weightScale, weightBias } = estimatorTable;
  fillUnitClasses();
  // Multiples of 1/64: their sum is exact, whatever its order.
  weights.set(decodeBytes(estimatorTable.weights).map((byte) => byte / weightScale - weightBias));
  nextRows.set(decodeBytes(estimatorTable.transitions).map((state) => state * classes));
  unrollLongRuns();
  isFilled = true;
}

/** The columns of the table. The numbers are part of the fitted data. */
const UnitClass = {
  vowel: 0,
  commonConsonant: 1,
  rareConsonant: 2,
  upperCase: 3,
  digit: 4,
  space: 5,
  otherBlank: 6,
  lineBreak: 7,
  underscore: 8,
  quote: 9,
  punctuation: 10,
  accentedLatin: 11,
  cyrillic: 12,
  greek: 13,
  semitic: 14,
  indic: 15,
  thai: 16,
  hiragana: 17,
  katakana: 18,
  wholeHan: 19,
  splitHan: 20,
  wholeHangul: 21,
  splitHangul: 22,
  cjkPunctuation: 23,
  generalPunctuation: 24,
  symbol: 25,
  boxDrawing: 26,
  highSurrogate: 27,
  lowSurrogate: 28,
  joiner: 29,
  otherLetter: 30,
  other: 31,
} as const;

type UnitClass = (typeof UnitClass)[keyof typeof UnitClass];

/** Blocks whose code units all have one class: first unit, last unit, class. */
const uniformBlocks: readonly (readonly [first: number, last: number, unitClass: UnitClass])[] = [
  [0x0000, 0x007f, UnitClass.punctuation],
  [0x0030, 0x0039, UnitClass.digit],
  [0x0041, 0x005a, UnitClass.upperCase],
  [0x0061, 0x007a, UnitClass.rareConsonant],
  [0x0370, 0x03ff, UnitClass.greek],
  [0x0400, 0x052f, UnitClass.cyrillic],
  [0x0590, 0x077f, UnitClass.semitic],
  [0x0900, 0x0dff, UnitClass.indic],
  [0x0e00, 0x0e7f, UnitClass.thai],
  [0x1f00, 0x1fff, UnitClass.greek],
  [0x2000, 0x206f, UnitClass.generalPunctuation],
  [0x2070, 0x2e7f, UnitClass.symbol],
  [0x2500, 0x259f, UnitClass.boxDrawing],
  [0x3000, 0x303f, UnitClass.cjkPunctuation],
  [0x3040, 0x309f, UnitClass.hiragana],
  [0x30a0, 0x30ff, UnitClass.katakana],
  [0x3400, 0x9fff, UnitClass.splitHan],
  [0xac00, 0xd7a3, UnitClass.splitHangul],
  [0xd800, 0xdbff, UnitClass.highSurrogate],
  [0xdc00, 0xdfff, UnitClass.lowSurrogate],
  [0xf900, 0xfaff, UnitClass.splitHan],
  [0xfb50, 0xfdff, UnitClass.semitic],
  [0xfe00, 0xfe0f, UnitClass.joiner],
  [0xfe70, 0xfeff, UnitClass.semitic],
  [0xff00, 0xffef, UnitClass.cjkPunctuation],
];

/** Blocks in which letters and marks have one class and everything else another. */
const mixedBlocks: readonly (readonly [first: number, last: number, letter: UnitClass, rest: UnitClass])[] = [
  [0x0080, 0x024f, UnitClass.accentedLatin, UnitClass.generalPunctuation],
  [0x0250, 0x036f, UnitClass.otherLetter, UnitClass.other],
  [0x0530, 0x058f, UnitClass.otherLetter, UnitClass.other],
  [0x0780, 0x08ff, UnitClass.otherLetter, UnitClass.other],
  [0x0e80, 0x1dff, UnitClass.otherLetter, UnitClass.other],
  [0x1e00, 0x1eff, UnitClass.accentedLatin, UnitClass.generalPunctuation],
  [0x2e80, 0x2fff, UnitClass.otherLetter, UnitClass.other],
  [0x3100, 0x33ff, UnitClass.otherLetter, UnitClass.other],
  [0xa000, 0xabff, UnitClass.otherLetter, UnitClass.other],
  [0xd7a4, 0xd7ff, UnitClass.otherLetter, UnitClass.other],
  [0xfb00, 0xfb4f, UnitClass.otherLetter, UnitClass.other],
  [0xfe10, 0xfe6f, UnitClass.otherLetter, UnitClass.other],
];

/** Characters that differ from the block around them. */
const singleCharacters: readonly (readonly [characters: string, unitClass: UnitClass])[] = [
  ['aeiou', UnitClass.vowel],
  ['tnsrhldcmfpg', UnitClass.commonConsonant],
  [' ', UnitClass.space],
  ['\t\v\f\u00a0', UnitClass.otherBlank],
  ['\n\r', UnitClass.lineBreak],
  ['_', UnitClass.underscore],
  ['\'"', UnitClass.quote],
  ['\u200d', UnitClass.joiner],
];

const letterOrMark = /[\p{L}\p{M}]/u;

function fillUnitClasses(): void {
  unitClasses.fill(UnitClass.other);
  for (const [first, last, unitClass] of uniformBlocks) {
    unitClasses.fill(unitClass, first, last + 1);
  }
  for (const [first, last, letter, rest] of mixedBlocks) {
    for (let unit = first; unit <= last; unit++) {
      unitClasses[unit] = letterOrMark.test(String.fromCharCode(unit)) ? letter : rest;
    }
  }
  for (const [characters, unitClass] of singleCharacters) {
    for (const character of characters) unitClasses[character.charCodeAt(0)] = unitClass;
  }
  markUnits(UnitClass.wholeHan, 0x4e00, decodeBytes(estimatorTable.wholeHan));
  markUnits(UnitClass.wholeHangul, 0xac00, decodeBytes(estimatorTable.wholeHangul));
}

/** Gives `unitClass` to every unit whose bit is set; the lowest bit of the first byte stands for `first`. */
function markUnits(unitClass: UnitClass, first: number, bitmap: readonly number[]): void {
  for (const [index, byte] of bitmap.entries()) {
    for (let bit = 0; bit < 8; bit++) {
      if ((byte >> bit) & 1) unitClasses[first + index * 8 + bit] = unitClass;
    }
  }
}

function decodeBytes(base64: string): number[] {
  return Array.from(atob(base64), (character) => character.charCodeAt(0));
}

/** How far a run of letters may go on in its last state; with the states before it, 26 to 33 units in all. */
const longRunUnits = 24;

/**
 * What a unit costs at least in a run that is longer than any word. The fit has seen no such runs: at its own price, a
 * DNA sequence in lower case would be free. o200k makes about half a token of each random letter, and one of each
 * repeated Han character or Hangul syllable.
 */
const longRunFloors: readonly (readonly [unitClass: UnitClass, tokens: number])[] = [
  [UnitClass.vowel, 0.5],
  [UnitClass.commonConsonant, 0.5],
  [UnitClass.rareConsonant, 0.5],
  [UnitClass.upperCase, 0.5],
  [UnitClass.accentedLatin, 0.5],
  [UnitClass.cyrillic, 0.5],
  [UnitClass.greek, 0.5],
  [UnitClass.semitic, 0.5],
  [UnitClass.indic, 0.5],
  [UnitClass.wholeHangul, 0.75],
  [UnitClass.splitHangul, 0.75],
  [UnitClass.wholeHan, 0.75],
  [UnitClass.splitHan, 0.75],
];

/**
 * Unrolls the rows in which a run of letters goes round: a chain of copies follows each, and only in the last copy does
 * the run go round again, at the floor price. Texts without long runs count as the fitted table has it.
 */
function unrollLongRuns(): void {
  const { states, classes } = estimatorTable;
  const fittedCells = states * classes;
  let freeRow = fittedCells;
  for (let row = 0; row < fittedCells; row += classes) {
    const repeated = longRunFloors.filter(([unitClass]) => nextRows[row + unitClass] === row);
    if (repeated.length === 0) continue;
    let lastRow = row;
    for (let unit = 0; unit < longRunUnits; unit++) {
      weights.copyWithin(freeRow, row, row + classes);
      nextRows.copyWithin(freeRow, row, row + classes);
      for (const [unitClass] of repeated) nextRows[lastRow + unitClass] = freeRow;
      lastRow = freeRow;
      freeRow += classes;
    }
    for (const [unitClass, tokens] of repeated) {
      const cell = lastRow + unitClass;
      weights[cell] = Math.max(tokens, weights[cell] as number);
      nextRows[cell] = lastRow;
    }
  }
}
