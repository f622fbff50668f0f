/** Collects a mean; `null` when nothing was added. */
export interface Mean {
  add(value: number): void;
  readonly count: () => number;
  readonly value: () => number | null;
}

/** An empty mean. */
export function createMean(): Mean {
  let [sum, count] = [0, 0];
  return {
    add: (value) => {
      sum += value;
      count += 1;
    },
    count: () => count,
    value: () => (count === 0 ? null : sum / count),
  };
}
