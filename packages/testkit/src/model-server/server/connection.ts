import type { ServerResponse } from 'node:http';
import type { ExchangeEnd } from '../exchange/served-request.ts';

/** The way back to the client of one request. */
export interface Connection {
  readonly outgoing: ServerResponse;
  /** Resolves when the exchange is over. */
  readonly ended: Promise<ExchangeEnd>;
  /** Waits for something, or for the end of the exchange; tells whether it still goes on. */
  outlives(waited: Promise<unknown>): Promise<boolean>;
  /** Notes that the script broke the exchange off. */
  noteBreak(): void;
}

/** Watches a response until it is over. */
export function connectionOf(outgoing: ServerResponse): Connection {
  let isBroken = false;
  let isOver = false;
  const ended = new Promise<ExchangeEnd>((resolve) => {
    outgoing.once('close', () => {
      isOver = true;
      resolve(isBroken ? 'broken-off' : outgoing.writableFinished ? 'answered' : 'left');
    });
  });
  return {
    outgoing,
    ended,
    async outlives(waited) {
      await Promise.race([waited, ended]);
      return !isOver;
    },
    noteBreak() {
      isBroken = true;
    },
  };
}
