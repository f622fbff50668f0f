/** Chance that a seed decides: the same seed gives the same numbers on every machine. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** A whole number of a range, both ends included. */
  integer(least: number, most: number): number;
  /** True with that probability. */
  chance(probability: number): boolean;
  /** One of the values, each as likely as the others. */
  pick<Value>(values: readonly [Value, ...Value[]]): Value;
}

/** Makes chance out of a seed, by mulberry32: 32 bits of state, good enough for tests. */
export function seededRandom(seed: number): Random {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    integer: (least, most) => least + Math.floor(next() * (most - least + 1)),
    chance: (probability) => next() < probability,
    pick: <Value>(values: readonly [Value, ...Value[]]) => values[Math.floor(next() * values.length)] as Value,
  };
}
