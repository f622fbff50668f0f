import type { Clock, Milliseconds } from '@varve/core';
import { workOfSession } from '@varve/core/host';
import { LRUCache } from 'lru-cache';
import type { LiveKey } from './live-key.ts';

/** How many conversations are awake, and for how long. */
export interface RestingOptions {
  readonly clock: Clock;
  readonly maxSessions: number;
  readonly maxBytes: number;
  readonly idleMs: Milliseconds;
  /** Puts one to sleep. Never rejects. */
  hibernate(live: LiveKey, reason: 'idle' | 'room'): Promise<void>;
}

/** The conversations that are awake and that nobody works with. They go to sleep, the longest unused one first. */
export interface Resting {
  /** Nobody works with it any more. */
  add(live: LiveKey): void;
  /** Somebody works with it, or it is asleep. */
  remove(live: LiveKey): void;
  /**
   * Puts to sleep what is beyond the bounds, and waits for that: so many journals are open at most, and those on which
   * somebody works.
   *
   * @param awake  All that are awake: how many, and about how much memory they hold.
   */
  makeRoom(awake: { readonly sessions: number; readonly bytes: number }): Promise<void>;
  /** Ends the timer. */
  close(): void;
}

/** Whether nothing would be cut short if a conversation went to sleep now. */
export function isClean({ session, lock }: LiveKey): boolean {
  if (session === null || lock.isUsed()) return false;
  const { turnId, isCompacting, isSaving } = workOfSession(session);
  return turnId === null && !isCompacting && !isSaving;
}

/** Makes it, with nobody resting. */
export function createResting(options: RestingOptions): Resting {
  const { clock, maxSessions, maxBytes, idleMs, hibernate } = options;
  // The bounds hold for all that are awake: which of them rest is what is kept here, in the order of their use.
  const resting = new LRUCache<string, LiveKey>({
    maxSize: Number.MAX_SAFE_INTEGER,
    sizeCalculation: ({ bytes }) => Math.max(1, bytes),
  });
  let cancelTimer: (() => void) | null = null;
  const oldestFirst = (): LiveKey[] => [...resting.rvalues()].filter((live) => live !== undefined);
  const arm = (): void => {
    const [oldest] = resting.rvalues();
    if (cancelTimer !== null || oldest === undefined || !Number.isFinite(idleMs)) return;
    cancelTimer = clock.after(Math.max(0, oldest.lastUsedAt + idleMs - clock.now()), sweep);
  };
  const sweep = (): void => {
    cancelTimer = null;
    const now = clock.now();
    for (const live of oldestFirst()) {
      if (live.lastUsedAt + idleMs > now) break;
      if (isClean(live)) void hibernate(live, 'idle');
      else {
        // What goes on beside it ends by itself: it is looked at again when as much time has passed.
        live.lastUsedAt = now;
        resting.set(live.keyText, live);
      }
    }
    arm();
  };
  return {
    add: (live) => {
      resting.set(live.keyText, live);
      arm();
    },
    remove: ({ keyText }) => {
      resting.delete(keyText);
    },
    makeRoom: async ({ sessions, bytes }) => {
      const leaving: Promise<void>[] = [];
      let tooMany = sessions - maxSessions;
      let tooLarge = bytes - maxBytes;
      if (tooMany <= 0 && tooLarge <= 0) return;
      for (const live of oldestFirst()) {
        if (tooMany <= 0 && tooLarge <= 0) break;
        if (!isClean(live)) continue;
        tooMany -= 1;
        tooLarge -= live.bytes;
        leaving.push(hibernate(live, 'room'));
      }
      await Promise.all(leaving);
    },
    close: () => {
      cancelTimer?.();
      cancelTimer = null;
      resting.clear();
    },
  };
}
