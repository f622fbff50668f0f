/** Runs some work soon, however often it is asked for; never two at a time. */
export interface Soon {
  ask(): void;
  stop(): void;
}

/** @param waitMs  How long it is waited for others who ask, too. */
export function runSoon(work: () => Promise<void>, waitMs: number): Soon {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let isRunning = false;
  let isAsked = false;
  const run = async (): Promise<void> => {
    timer = null;
    isRunning = true;
    isAsked = false;
    await work();
    isRunning = false;
    if (isAsked) ask();
  };
  const ask = (): void => {
    isAsked = true;
    if (!isRunning && timer === null) timer = setTimeout(() => void run(), waitMs);
  };
  return {
    ask,
    stop: () => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      isRunning = true;
    },
  };
}
