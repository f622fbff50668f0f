import type { EventBase, Host, Session } from '@varve/core';
import { emitEvent } from '@varve/core/host';
import { Semaphore } from 'async-mutex';
import { eventBaseOf } from '../generation/session-events.ts';

/** What is told of turns, on the bus of the host. */
export interface TurnEvents {
  /** A turn waits for one of another conversation to end: as many run as may. */
  'turn-queued': EventBase;
}

declare module '@varve/core' {
  interface LiveEvents extends TurnEvents {}
}

/** Lets only so many turns run at once, of all conversations together. */
export interface TurnSlots {
  /** Runs a turn of a session when there is room, in the order of the calls. */
  run<Result>(session: Session, work: () => Promise<Result>): Promise<Result>;
}

/** Makes room for so many turns. */
export function createTurnSlots(host: Host, mostTurns: number = Infinity): TurnSlots {
  if (mostTurns === Infinity) return { run: (_session, work) => work() };
  const semaphore = new Semaphore(mostTurns);
  return {
    run: (session, work) => {
      if (semaphore.isLocked()) emitEvent(host, 'turn-queued', eventBaseOf(session.info()));
      return semaphore.runExclusive(work);
    },
  };
}
