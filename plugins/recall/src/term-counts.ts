/** How many texts have each term; what none has is not there. */
export interface TermCounts extends Pick<ReadonlySet<string>, 'has' | 'size'> {
  add(terms: readonly string[]): void;
  remove(terms: readonly string[]): void;
}

/** Makes empty counts. */
export function createTermCounts(): TermCounts {
  const counts = new Map<string, number>();
  const change = (terms: readonly string[], by: number): void => {
    for (const term of terms) {
      const count = (counts.get(term) ?? 0) + by;
      if (count > 0) counts.set(term, count);
      else counts.delete(term);
    }
  };
  return {
    get size() {
      return counts.size;
    },
    has: (term) => counts.has(term),
    add: (terms) => change(terms, 1),
    remove: (terms) => change(terms, -1),
  };
}
