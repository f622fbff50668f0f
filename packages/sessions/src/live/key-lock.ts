/** Who may work with one conversation at the same time. First come, first served. */
export interface KeyLock {
  /** Works beside others that share it, however many they are. */
  share<Result>(work: () => Promise<Result>): Promise<Result>;
  /** The same, ahead of all who wait: for what is called by somebody who shares it already. */
  join<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Works when all that came before have ended, and before any that comes later begins. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Whether anybody works or waits. */
  isUsed(): boolean;
}

/** Somebody who waits to work. */
interface Waiting {
  readonly isAlone: boolean;
  begin(): void;
}

/** Makes the lock of one conversation. */
export function createKeyLock(): KeyLock {
  const joining: Waiting[] = [];
  const queue: Waiting[] = [];
  let sharing = 0;
  let isTaken = false;
  /** Lets in whoever may work now. What holds is changed here, and not when they notice it. */
  const admit = (): void => {
    for (;;) {
      const line = joining.length > 0 ? joining : queue;
      const [first] = line;
      if (first === undefined || isTaken || (first.isAlone && sharing > 0)) return;
      line.shift();
      if (first.isAlone) isTaken = true;
      else sharing += 1;
      first.begin();
    }
  };
  const run = async <Result>(
    work: () => Promise<Result>,
    { line, isAlone }: { readonly line: Waiting[]; readonly isAlone: boolean },
  ): Promise<Result> => {
    await new Promise<void>((begin) => {
      line.push({ isAlone, begin });
      admit();
    });
    try {
      return await work();
    } finally {
      if (isAlone) isTaken = false;
      else sharing -= 1;
      admit();
    }
  };
  return {
    share: (work) => run(work, { line: queue, isAlone: false }),
    join: (work) => run(work, { line: joining, isAlone: false }),
    alone: (work) => run(work, { line: queue, isAlone: true }),
    isUsed: () => isTaken || sharing > 0 || joining.length + queue.length > 0,
  };
}
