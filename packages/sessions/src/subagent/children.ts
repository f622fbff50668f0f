import { untilAborted } from '@varve/core';
import type { Child } from './child.ts';

/** The sub-agents that this process has something to do for. */
export interface Children {
  get(childKey: string): Child | null;
  /** Those of a parent, in the order in which they began. */
  of(parentKey: string): readonly Child[];
  all(): readonly Child[];
  add(child: Child): void;
  remove(child: Child): void;
  /** How many have not ended, in the whole process. */
  running(): number;
  /** Resolves when an end has come to the parent; at once when nothing is under way to it. @throws VARVE_ABORTED */
  nextDelivery(parentKey: string, signal: AbortSignal): Promise<void>;
}

/** Makes an empty set. */
export function createChildren(): Children {
  const all = new Map<string, Child>();
  const of = (parentKey: string): readonly Child[] =>
    [...all.values()].filter(({ record }) => record.parentKey === parentKey);
  return {
    get: (childKey) => all.get(childKey) ?? null,
    of,
    all: () => [...all.values()],
    add: (child) => all.set(child.record.childKey, child),
    remove: (child) => {
      if (all.get(child.record.childKey) === child) all.delete(child.record.childKey);
    },
    running: () => [...all.values()].filter(({ hasEnded }) => !hasEnded).length,
    nextDelivery: async (parentKey, signal) => {
      const underWay = of(parentKey).map(({ delivered }) => delivered.promise.catch(() => undefined));
      if (underWay.length > 0) await untilAborted(Promise.race(underWay), signal);
    },
  };
}
