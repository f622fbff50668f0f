import { estimatorTable } from './estimator-table.ts';
import { fillUnitClasses } from './unit-classes.ts';

/**
 * Estimates how many o200k tokens `text` has, without a tokenizer.
 *
 * One pass over the UTF-16 code units: each unit has a class, each pair of state and class has a weight and a next
 * state, and the estimate is the sum of the weights. It costs about as much as reading the string. The first call builds
 * the table (a few milliseconds); no call depends on an earlier one.
 *
 * Every string is accepted; a surrogate without its partner counts like the half of an emoji. The break at the end of a
 * line leads back to the first state, so that the lines of a text count the same alone and together, but for rounding.
 * No weight is negative: a longer text never counts less than its beginning.
 *
 * @returns Tokens, a whole number: 0 for the empty text, else at least 1.
 */
export function estimateTokens(text: string): number {
  if (text === '') return 0;
  if (!isFilled) fillArrays();
  let row = 0;
  let weight = 0;
  for (let index = 0; index < text.length; index++) {
    const cell = cells[row + (unitClasses[text.charCodeAt(index)] as number)] as number;
    weight += cell & 0xff;
    row = cell >> 8;
  }
  return Math.max(1, Math.ceil(weight / estimatorTable.weightScale));
}

// The arrays are constants, filled at the first use: the compiler then addresses them directly, which makes the loop a
// tenth faster on long texts and a quarter faster on short ones than arrays that are made at the first use.

/** Class of each UTF-16 code unit. */
const unitClasses = new Uint8Array(0x10000);

/**
 * What a code unit does at each row (state × number of classes) plus its class: the weight in the lowest byte, above it
 * the row that follows. There is room for any row of two bytes.
 */
const cells = new Int32Array(0x10000);

let isFilled = false;

function fillArrays(): void {
  const { states, classes, columns } = estimatorTable;
  fillUnitClasses(unitClasses, {
    wholeHan: decodeBytes(estimatorTable.wholeHan),
    commonHan: decodeBytes(estimatorTable.commonHan),
    wholeHangul: decodeBytes(estimatorTable.wholeHangul),
    commonHangul: decodeBytes(estimatorTable.commonHangul),
  });
  const weights = decodeWeights(decodeBytes(estimatorTable.weights));
  const nextStates = decodeTransitions(decodeBytes(estimatorTable.transitions));
  for (const [unitClass, column] of columns.entries()) {
    for (let state = 0; state < states; state++) {
      const weight = weights[unitClass * states + state] as number;
      const nextState = nextStates[column * states + state] as number;
      cells[state * classes + unitClass] = ((nextState * classes) << 8) | weight;
    }
  }
  isFilled = true;
}

/** Not a weight, but: the next byte says how many more times the weight before is meant. */
const repeatMark = 0xff;

function decodeWeights(bytes: readonly number[]): number[] {
  const weights: number[] = [];
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] as number;
    if (byte !== repeatMark) {
      weights.push(byte);
      continue;
    }
    index++;
    const repeated = weights.at(-1) as number;
    for (let count = bytes[index] as number; count > 0; count--) weights.push(repeated);
  }
  return weights;
}

/** Three bytes a run: its length, and the state that all of it leads to, low byte first. */
function decodeTransitions(bytes: readonly number[]): number[] {
  const nextStates: number[] = [];
  for (let index = 0; index < bytes.length; index += 3) {
    const [length, low, high] = bytes.slice(index, index + 3) as [number, number, number];
    for (let count = length; count > 0; count--) nextStates.push(low + high * 0x100);
  }
  return nextStates;
}

function decodeBytes(base64: string): number[] {
  return Array.from(atob(base64), (character) => character.charCodeAt(0));
}
