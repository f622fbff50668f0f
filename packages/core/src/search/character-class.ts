/** What a UTF-16 code unit is to the reader of terms. */
export const CharacterClass = {
  separator: 0,
  lower: 1,
  upper: 2,
  digit: 3,
  underscore: 4,
  /** Keeps words of a name together when it stands between two of them: `src/a.ts`, `ABC-123`, `me@example.org`. */
  joiner: 5,
  /** A letter, digit or mark of a script that puts spaces between words. */
  letter: 6,
  /** A character of a script without spaces between words, or one whose words are built from syllables. */
  dense: 7,
  /** The first half of a character outside the basic plane. */
  highSurrogate: 8,
} as const;

/** Han, kana, Hangul, Thai, Lao, Khmer and Burmese, with the marks that belong to them. */
const denseUnits: readonly (readonly [from: number, to: number])[] = [
  [0x0e01, 0x0e3a],
  [0x0e40, 0x0e4e],
  [0x0e81, 0x0ebd],
  [0x0ec0, 0x0ecd],
  [0x1000, 0x109f],
  [0x1100, 0x11ff],
  [0x1780, 0x17d3],
  [0x2e80, 0x2fd5],
  [0x3005, 0x3007],
  [0x3041, 0x3096],
  [0x309d, 0x309f],
  [0x30a1, 0x30fa],
  [0x30fc, 0x30ff],
  [0x3105, 0x312f],
  [0x31f0, 0x31ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7af],
  [0xf900, 0xfaff],
];

const classes = new Uint8Array(0x10000);
let isFilled = false;

/** Class of each code unit; made at the first use. */
export function characterClasses(): Uint8Array {
  if (!isFilled) fill();
  return classes;
}

/** True for the half of a Han character outside the basic plane that stands first. */
export function isHighHan(unit: number): boolean {
  return unit >= 0xd840 && unit <= 0xd8bf;
}

function fill(): void {
  const letterShape = /[\p{L}\p{M}\p{N}]/u;
  for (let unit = 0x80; unit < 0xd800; unit += 1) {
    if (letterShape.test(String.fromCharCode(unit))) classes[unit] = CharacterClass.letter;
  }
  classes.fill(CharacterClass.highSurrogate, 0xd800, 0xdc00);
  for (let unit = 0xe000; unit < 0x10000; unit += 1) {
    if (letterShape.test(String.fromCharCode(unit))) classes[unit] = CharacterClass.letter;
  }
  for (const [from, to] of denseUnits) classes.fill(CharacterClass.dense, from, to + 1);
  classes.fill(CharacterClass.lower, 0x61, 0x7b);
  classes.fill(CharacterClass.upper, 0x41, 0x5b);
  classes.fill(CharacterClass.digit, 0x30, 0x3a);
  classes[0x5f] = CharacterClass.underscore;
  for (const joiner of './-@:,') classes[joiner.charCodeAt(0)] = CharacterClass.joiner;
  isFilled = true;
}
