import type { Milliseconds, Ulid } from '../units.ts';

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const timeLength = 10;
const randomLength = 16;

/** Where ids get time and chance from. */
export interface EntryIdOptions {
  readonly now: () => Milliseconds;
  /** A number in [0, 1). @default Math.random */
  readonly random?: (() => number) | undefined;
}

/**
 * Makes a function that mints ULIDs: each sorts after all that it gave before, even when time stands still or jumps
 * back.
 */
export function createEntryIds({ now, random = Math.random }: EntryIdOptions): () => Ulid {
  let lastTime = -1;
  let digits: number[] = [];
  return () => {
    const time = Math.max(0, Math.floor(now()));
    if (time > lastTime) {
      lastTime = time;
      digits = Array.from({ length: randomLength }, () => Math.floor(random() * alphabet.length) % alphabet.length);
    } else if (!increment(digits)) {
      lastTime += 1;
    }
    return encodeTime(lastTime) + digits.map((digit) => alphabet[digit]).join('');
  };
}

/** Adds one; false when all digits wrapped to zero. */
function increment(digits: number[]): boolean {
  for (let index = digits.length - 1; index >= 0; index -= 1) {
    const next = (digits[index] ?? 0) + 1;
    digits[index] = next % alphabet.length;
    if (next < alphabet.length) return true;
  }
  return false;
}

function encodeTime(time: Milliseconds): string {
  let text = '';
  let rest = time;
  for (let index = 0; index < timeLength; index += 1) {
    text = alphabet[rest % alphabet.length] + text;
    rest = Math.floor(rest / alphabet.length);
  }
  return text;
}
