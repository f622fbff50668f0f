import { VarveError } from '@varve/core';
import type { Sessions } from '@varve/sessions';
import { createHeldCounter, type HeldCounter } from '../limits/held-counter.ts';

/** What a turn is registered with. */
interface TurnWork {
  readonly keyText: string;
  /** Who asked for it. */
  readonly tokenId: string;
}

/** The turns that run for callers, so that a gateway that closes can wait for them. */
export interface TurnDesk {
  /**
   * Carries work out that must not be cut off.
   *
   * @throws VARVE_SESSION_CLOSED  when the gateway is closing; VARVE_REQUEST_LIMIT when the token has too many turns.
   */
  run<Result>(about: TurnWork, work: () => Promise<Result>): Promise<Result>;
  /** Turns that run. */
  running(): number;
  readonly isClosing: boolean;
  /** Takes no more; waits for what runs, then aborts it and waits for that. */
  close(drainMs: number): Promise<void>;
}

/** Makes it. */
export function createTurnDesk(sessions: Pick<Sessions, 'abort'>, turnsPerToken: number): TurnDesk {
  const held: HeldCounter = createHeldCounter(turnsPerToken, 'turns');
  const running = new Map<Promise<unknown>, string>();
  let isClosing = false;
  return {
    running: () => running.size,
    get isClosing() {
      return isClosing;
    },
    run: async ({ keyText, tokenId }, work) => {
      if (isClosing) throw closingError();
      const release = held.take(tokenId);
      const turn = work();
      running.set(turn, keyText);
      try {
        return await turn;
      } finally {
        running.delete(turn);
        release();
      }
    },
    close: async (drainMs) => {
      isClosing = true;
      if (await endsIn(drainMs, running.keys())) return;
      for (const keyText of new Set(running.values())) sessions.abort(keyText, 'The gateway is closing.');
      await endsIn(drainMs, running.keys());
    },
  };
}

/** What callers are told of a gateway that takes no more. */
export function closingError(): VarveError {
  return new VarveError('VARVE_SESSION_CLOSED', 'The gateway is closing.', {
    fix: 'Send the same message again, with the same messageId, when it is back.',
  });
}

/** Whether all of it has ended before the time is over. */
async function endsIn(ms: number, work: Iterable<Promise<unknown>>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const done = Promise.allSettled(work).then(() => true as const);
  return Promise.race([done, late]).finally(() => clearTimeout(timer));
}
