import { Semaphore } from 'async-mutex';

/** How many may share a conversation at once; taking all of it means being alone. */
const everything = 4_096;

/** Who may work with one conversation at the same time. First come, first served. */
export interface KeyLock {
  /** Works beside others that share it. */
  share<Result>(work: () => Promise<Result>): Promise<Result>;
  /** The same, ahead of those who wait to be alone: for what is called by somebody who shares it already. */
  join<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Works when all that came before have ended, and before any that comes later begins. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Whether anybody works or waits. */
  isUsed(): boolean;
}

/** Makes the lock of one conversation. */
export function createKeyLock(): KeyLock {
  const semaphore = new Semaphore(everything);
  let users = 0;
  const counted = async <Result>(
    work: () => Promise<Result>,
    { weight, priority = 0 }: { readonly weight: number; readonly priority?: number },
  ): Promise<Result> => {
    users += 1;
    try {
      return await semaphore.runExclusive(work, weight, priority);
    } finally {
      users -= 1;
    }
  };
  return {
    share: (work) => counted(work, { weight: 1 }),
    join: (work) => counted(work, { weight: 1, priority: 1 }),
    alone: (work) => counted(work, { weight: everything }),
    isUsed: () => users > 0,
  };
}
