import { VarveError } from '../errors.ts';

/** How a turn is named among what goes on. */
export const turnActivity = 'a turn';

/** What goes on in a session, so that nothing is forgotten under somebody's hands. */
export interface SessionActivity {
  /**
   * Runs work that reads the conversation and may store what it has read. Waits while something is being forgotten.
   *
   * @param name  What it is, for the error of who asks to forget meanwhile: `a turn`, `a compaction`.
   */
  during<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
  /**
   * Runs work that changes which messages the next prompt is made of. What begins meanwhile waits until it is done.
   *
   * @throws VARVE_SESSION_BUSY  while a turn runs: its answer belongs where its prompt was made.
   */
  betweenTurns<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Runs work while nothing else does. @throws VARVE_FORGET_REFUSED  when something does. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Makes the activity of a session in which nothing goes on. */
export function createSessionActivity(): SessionActivity {
  const running = new Map<symbol, string>();
  const moving = new Set<Promise<unknown>>();
  let forgetting: Promise<unknown> | null = null;
  const settle = async (): Promise<void> => {
    while (forgetting !== null || moving.size > 0) await Promise.all([forgetting, ...moving]);
  };
  return {
    during: async (name, work) => {
      await settle();
      const ticket = Symbol(name);
      running.set(ticket, name);
      try {
        return await work();
      } finally {
        running.delete(ticket);
      }
    },
    betweenTurns: async (work) => {
      while (forgetting !== null) await forgetting;
      if ([...running.values()].includes(turnActivity)) throw inTurnError();
      const working = work();
      const settled = settledOf(working);
      moving.add(settled);
      return working.finally(() => moving.delete(settled));
    },
    alone: async (work) => {
      while (moving.size > 0) await Promise.all(moving);
      const [busy] = [...running.values(), ...(forgetting === null ? [] : ['forgetting'])];
      if (busy !== undefined) throw busyError(busy);
      const working = work();
      forgetting = settledOf(working);
      try {
        return await working;
      } finally {
        forgetting = null;
      }
    },
  };
}

/** When work has ended, however that was. */
async function settledOf(working: Promise<unknown>): Promise<void> {
  await working.catch(() => undefined);
}

function inTurnError(): VarveError {
  return new VarveError('VARVE_SESSION_BUSY', `The conversation cannot be changed now: ${turnActivity} is under way.`, {
    fix: 'Wait until the turn has ended, or abort it, and ask again.',
    details: { busy: turnActivity },
  });
}

function busyError(what: string): VarveError {
  return new VarveError('VARVE_FORGET_REFUSED', `Nothing can be forgotten now: ${what} is under way.`, {
    fix: 'Wait until it has ended, or abort it, and ask again.',
    details: { why: 'busy', busy: what },
  });
}
