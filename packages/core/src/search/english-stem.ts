/**
 * Stems an English word by the algorithm that M. F. Porter published in 1980 ("An algorithm for suffix stripping").
 *
 * @param word  Lower-case letters a to z; anything else, and what is shorter than three letters, is returned as it is.
 */
export function englishStem(word: string): string {
  if (word.length < 3 || !plainWord.test(word)) return word;
  const singular = withoutPlural(word);
  const bare = withoutPastOrGerund(singular);
  const withI = bare.endsWith('y') && hasVowel(bare.slice(0, -1)) ? `${bare.slice(0, -1)}i` : bare;
  const shorter = replaceSuffix(replaceSuffix(withI, doubleSuffixes), singleSuffixes);
  return withoutLastLetter(withoutSuffix(shorter));
}

const plainWord = /^[a-z]+$/;

type Replacements = readonly (readonly [suffix: string, replacement: string])[];

/** Steps 2, 3 and 4 of the algorithm; a suffix that is the end of another one stands behind it. */
const doubleSuffixes: Replacements = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['abli', 'able'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['ousli', 'ous'],
  ['eli', 'e'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
];

const singleSuffixes: Replacements = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
];

const lastSuffixes: readonly string[] =
  'al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize'.split(' ');

function withoutPlural(word: string): string {
  if (word.endsWith('sses') || word.endsWith('ies')) return word.slice(0, -2);
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

function withoutPastOrGerund(word: string): string {
  if (word.endsWith('eed')) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const ending = word.endsWith('ed') ? 2 : word.endsWith('ing') ? 3 : 0;
  const stem = word.slice(0, word.length - ending);
  if (ending === 0 || !hasVowel(stem)) return word;
  if (stem.endsWith('at') || stem.endsWith('bl') || stem.endsWith('iz')) return `${stem}e`;
  if (endsInDoubleConsonant(stem) && !/[lsz]$/.test(stem)) return stem.slice(0, -1);
  return measure(stem) === 1 && endsShort(stem) ? `${stem}e` : stem;
}

function replaceSuffix(word: string, replacements: Replacements): string {
  for (const [suffix, replacement] of replacements) {
    if (!word.endsWith(suffix)) continue;
    const stem = word.slice(0, -suffix.length);
    return measure(stem) > 0 ? stem + replacement : word;
  }
  return word;
}

function withoutSuffix(word: string): string {
  const suffix = lastSuffixes.reduce((best, one) => (one.length > best.length && word.endsWith(one) ? one : best), '');
  if (suffix === '') return word;
  const stem = word.slice(0, -suffix.length);
  if (measure(stem) <= 1 || (suffix === 'ion' && !/[st]$/.test(stem))) return word;
  return stem;
}

function withoutLastLetter(word: string): string {
  let short = word;
  if (word.endsWith('e')) {
    const stem = word.slice(0, -1);
    const size = measure(stem);
    if (size > 1 || (size === 1 && !endsShort(stem))) short = stem;
  }
  return short.endsWith('ll') && measure(short) > 1 ? short.slice(0, -1) : short;
}

function isConsonant(word: string, index: number): boolean {
  const letter = word.charAt(index);
  if (letter !== 'y') return !'aeiou'.includes(letter);
  return index === 0 || !isConsonant(word, index - 1);
}

/** How often a vowel is followed by a consonant. */
function measure(stem: string): number {
  let count = 0;
  let afterVowel = false;
  for (let index = 0; index < stem.length; index += 1) {
    const consonant = isConsonant(stem, index);
    if (consonant && afterVowel) count += 1;
    afterVowel = !consonant;
  }
  return count;
}

function hasVowel(stem: string): boolean {
  for (let index = 0; index < stem.length; index += 1) if (!isConsonant(stem, index)) return true;
  return false;
}

function endsInDoubleConsonant(stem: string): boolean {
  const last = stem.length - 1;
  return last > 0 && stem[last] === stem[last - 1] && isConsonant(stem, last);
}

/** Consonant, vowel, consonant at the end, the last one not w, x or y: a short syllable that had an `e` behind it. */
function endsShort(stem: string): boolean {
  const last = stem.length - 1;
  if (last < 2 || !isConsonant(stem, last) || isConsonant(stem, last - 1) || !isConsonant(stem, last - 2)) return false;
  return !/[wxy]$/.test(stem);
}
