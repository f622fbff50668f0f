import { VarveError } from '@varve/core';

/** Counts what each holds at the same time, and refuses more than a number of it. */
export interface HeldCounter {
  /** Takes one; gives what lets go of it, once. @throws VARVE_REQUEST_LIMIT */
  take(holder: string): () => void;
  /** How many are held in all. */
  total(): number;
}

/** Makes it. @param what  What is counted, in the plural, for people. */
export function createHeldCounter(most: number, what: string): HeldCounter {
  const held = new Map<string, number>();
  let total = 0;
  return {
    total: () => total,
    take: (holder) => {
      const count = held.get(holder) ?? 0;
      if (count >= most) {
        throw new VarveError('VARVE_REQUEST_LIMIT', `This token has ${count} ${what} already.`, {
          fix: 'Wait until one of them has ended.',
          details: { most },
        });
      }
      held.set(holder, count + 1);
      total += 1;
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        total -= 1;
        const left = (held.get(holder) ?? 1) - 1;
        if (left === 0) held.delete(holder);
        else held.set(holder, left);
      };
    },
  };
}
