/** The best of many candidates, without sorting them all. */
export interface BestOptions {
  /** Most candidates that are returned. */
  readonly limit: number;
  /** Score of each candidate; of equals the lower number is better. */
  readonly scores: Float64Array;
}

/** The numbers with the highest scores, best first: a heap of `limit` with the worst on top. */
export function bestOf(candidates: Uint32Array, { limit, scores }: BestOptions): readonly number[] {
  const isBetter = (a: number, b: number): boolean => {
    const difference = (scores[a] as number) - (scores[b] as number);
    return difference > 0 || (difference === 0 && a < b);
  };
  const heap: number[] = [];
  for (const candidate of candidates) {
    if (heap.length < limit) {
      heap.push(candidate);
      rise(heap, isBetter);
    } else if (limit > 0 && isBetter(candidate, heap[0] as number)) {
      heap[0] = candidate;
      sink(heap, isBetter);
    }
  }
  return heap.sort((a, b) => (isBetter(a, b) ? -1 : 1));
}

type IsBetter = (a: number, b: number) => boolean;

/** Brings the last element to its place. */
function rise(heap: number[], isBetter: IsBetter): void {
  let at = heap.length - 1;
  while (at > 0) {
    const above = (at - 1) >> 1;
    if (!isBetter(heap[above] as number, heap[at] as number)) return;
    swap(heap, above, at);
    at = above;
  }
}

/** Brings the first element to its place. */
function sink(heap: number[], isBetter: IsBetter): void {
  let at = 0;
  for (let child = 1; child < heap.length; child = 2 * at + 1) {
    const other = child + 1;
    if (other < heap.length && isBetter(heap[child] as number, heap[other] as number)) child = other;
    if (isBetter(heap[child] as number, heap[at] as number)) return;
    swap(heap, at, child);
    at = child;
  }
}

function swap(heap: number[], a: number, b: number): void {
  const kept = heap[a] as number;
  heap[a] = heap[b] as number;
  heap[b] = kept;
}
