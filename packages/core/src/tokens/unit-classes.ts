/**
 * Kinds of UTF-16 code units. The numbers are part of the fitted data. The lower-case letters that BPE treats alike are
 * a class together, named after them.
 */
const UnitClass = {
  e: 0,
  ai: 1,
  ou: 2,
  tns: 3,
  rld: 4,
  cmphg: 5,
  fbwvy: 6,
  kjqxz: 7,
  latin1Letter: 8,
  extendedLatin: 9,
  additionalLatin: 10,
  upperVowel: 11,
  upperConsonant: 12,
  digit: 13,
  space: 14,
  otherBlank: 15,
  lineBreak: 16,
  underscore: 17,
  hyphen: 18,
  quote: 19,
  dot: 20,
  comma: 21,
  slash: 22,
  colon: 23,
  opening: 24,
  closing: 25,
  otherPunctuation: 26,
  ruler: 27,
  generalPunctuation: 28,
  symbol: 29,
  mergedSymbol: 30,
  cjkPunctuation: 31,
  other: 32,
  cyrillicVowel: 33,
  cyrillicConsonant: 34,
  rareCyrillic: 35,
  upperCyrillic: 36,
  greek: 37,
  hebrew: 38,
  arabic: 39,
  indicLetter: 40,
  indicMark: 41,
  thai: 42,
  commonHiragana: 43,
  hiragana: 44,
  katakana: 45,
  commonHan: 46,
  wholeHan: 47,
  splitHan: 48,
  commonHangul: 49,
  wholeHangul: 50,
  splitHangul: 51,
  highSurrogate: 52,
  lowSurrogate: 53,
  joiner: 54,
  otherLetter: 55,
} as const;

type UnitClass = (typeof UnitClass)[keyof typeof UnitClass];

/** Blocks whose code units all have one class: first unit, last unit, class. Later ones overrule earlier ones. */
const uniformBlocks: readonly (readonly [first: number, last: number, unitClass: UnitClass])[] = [
  [0x0000, 0x007f, UnitClass.otherPunctuation],
  [0x0030, 0x0039, UnitClass.digit],
  [0x0041, 0x005a, UnitClass.upperConsonant],
  [0x0370, 0x03ff, UnitClass.greek],
  [0x0400, 0x052f, UnitClass.rareCyrillic],
  [0x0410, 0x042f, UnitClass.upperCyrillic],
  [0x0590, 0x05ff, UnitClass.hebrew],
  [0x0600, 0x077f, UnitClass.arabic],
  [0x0e00, 0x0e7f, UnitClass.thai],
  [0x1f00, 0x1fff, UnitClass.greek],
  [0x2000, 0x206f, UnitClass.generalPunctuation],
  [0x2070, 0x2e7f, UnitClass.symbol],
  [0x3000, 0x303f, UnitClass.cjkPunctuation],
  [0x3040, 0x309f, UnitClass.hiragana],
  [0x30a0, 0x30ff, UnitClass.katakana],
  [0x3400, 0x9fff, UnitClass.splitHan],
  [0xac00, 0xd7af, UnitClass.splitHangul],
  [0xd800, 0xdbff, UnitClass.highSurrogate],
  [0xdc00, 0xdfff, UnitClass.lowSurrogate],
  [0xf900, 0xfaff, UnitClass.splitHan],
  [0xfb50, 0xfdff, UnitClass.arabic],
  [0xfe00, 0xfe0f, UnitClass.joiner],
  [0xfe70, 0xfeff, UnitClass.arabic],
  [0xff00, 0xffef, UnitClass.cjkPunctuation],
];

const letterOrMark = /[\p{L}\p{M}]/u;
const mark = /\p{M}/u;

/** Blocks in which the characters that match have one class and everything else another. */
const mixedBlocks: readonly (readonly [first: number, last: number, RegExp, match: UnitClass, rest: UnitClass])[] = [
  [0x0080, 0x00ff, letterOrMark, UnitClass.latin1Letter, UnitClass.generalPunctuation],
  [0x0100, 0x024f, letterOrMark, UnitClass.extendedLatin, UnitClass.generalPunctuation],
  [0x0250, 0x036f, letterOrMark, UnitClass.otherLetter, UnitClass.other],
  [0x0530, 0x058f, letterOrMark, UnitClass.otherLetter, UnitClass.other],
  [0x0780, 0x08ff, letterOrMark, UnitClass.otherLetter, UnitClass.other],
  [0x0900, 0x0dff, mark, UnitClass.indicMark, UnitClass.indicLetter],
  [0x0e80, 0x1dff, letterOrMark, UnitClass.otherLetter, UnitClass.other],
  [0x1e00, 0x1eff, letterOrMark, UnitClass.additionalLatin, UnitClass.generalPunctuation],
  [0x2e80, 0x2fff, letterOrMark, UnitClass.otherLetter, UnitClass.other],
  [0x3100, 0x33ff, letterOrMark, UnitClass.otherLetter, UnitClass.other],
  [0xa000, 0xabff, letterOrMark, UnitClass.otherLetter, UnitClass.other],
  [0xd7b0, 0xd7ff, letterOrMark, UnitClass.otherLetter, UnitClass.other],
  [0xfb00, 0xfb4f, letterOrMark, UnitClass.otherLetter, UnitClass.other],
  [0xfe10, 0xfe6f, letterOrMark, UnitClass.otherLetter, UnitClass.other],
];

/** Characters that differ from the block around them. */
const singleCharacters: readonly (readonly [characters: string, unitClass: UnitClass])[] = [
  ['e', UnitClass.e],
  ['ai', UnitClass.ai],
  ['ou', UnitClass.ou],
  ['tns', UnitClass.tns],
  ['rld', UnitClass.rld],
  ['cmphg', UnitClass.cmphg],
  ['fbwvy', UnitClass.fbwvy],
  ['kjqxz', UnitClass.kjqxz],
  ['AEIOU', UnitClass.upperVowel],
  [' ', UnitClass.space],
  ['\t\v\f\u00a0', UnitClass.otherBlank],
  ['\n\r', UnitClass.lineBreak],
  ['_', UnitClass.underscore],
  ['-', UnitClass.hyphen],
  ['\'"`', UnitClass.quote],
  ['.', UnitClass.dot],
  [',;', UnitClass.comma],
  ['/\\', UnitClass.slash],
  [':', UnitClass.colon],
  ['([{<', UnitClass.opening],
  [')]}>', UnitClass.closing],
  ['=*#~', UnitClass.ruler],
  ['\u0401', UnitClass.upperCyrillic],
  ['аеиоуыэюя', UnitClass.cyrillicVowel],
  ['внтсрлкмдп', UnitClass.cyrillicConsonant],
  ['─━═▄█■□▬', UnitClass.mergedSymbol],
  ['\u200d', UnitClass.joiner],
  ['のにはをがでとたしているすまれなかもあこりら', UnitClass.commonHiragana],
];

/** Which characters are one token of the encoding, and which of those are also part of longer tokens. */
export interface WholeCharacters {
  /** Bitmap from U+4E00 on, lowest bit of the first byte first. */
  readonly wholeHan: readonly number[];
  /** One bit a character of `wholeHan`, in order. */
  readonly commonHan: readonly number[];
  /** Bitmap from U+AC00 on. */
  readonly wholeHangul: readonly number[];
  /** One bit a syllable of `wholeHangul`, in order. */
  readonly commonHangul: readonly number[];
}

/** Writes the class of each of the 65,536 UTF-16 code units into `unitClasses`. Called once, by the estimator. */
export function fillUnitClasses(unitClasses: Uint8Array, characters: WholeCharacters): void {
  unitClasses.fill(UnitClass.other);
  for (const [first, last, unitClass] of uniformBlocks) {
    unitClasses.fill(unitClass, first, last + 1);
  }
  for (const [first, last, pattern, match, rest] of mixedBlocks) {
    for (let unit = first; unit <= last; unit++) {
      unitClasses[unit] = pattern.test(String.fromCharCode(unit)) ? match : rest;
    }
  }
  for (const [members, unitClass] of singleCharacters) {
    for (const member of members) unitClasses[member.charCodeAt(0)] = unitClass;
  }
  const { wholeHan, commonHan, wholeHangul, commonHangul } = characters;
  for (const [index, bit] of setBits(wholeHan).entries()) {
    unitClasses[0x4e00 + bit] = isSet(commonHan, index) ? UnitClass.commonHan : UnitClass.wholeHan;
  }
  for (const [index, bit] of setBits(wholeHangul).entries()) {
    unitClasses[0xac00 + bit] = isSet(commonHangul, index) ? UnitClass.commonHangul : UnitClass.wholeHangul;
  }
}

function setBits(bitmap: readonly number[]): number[] {
  return Array.from({ length: bitmap.length * 8 }, (_, bit) => bit).filter((bit) => isSet(bitmap, bit));
}

function isSet(bitmap: readonly number[], bit: number): boolean {
  return (((bitmap[bit >> 3] as number) >> (bit & 7)) & 1) === 1;
}
