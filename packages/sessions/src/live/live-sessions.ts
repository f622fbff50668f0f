import type { Session } from '@varve/core';
import { AwakeSessions, type Hands, type LiveParts } from './awake-sessions.ts';
import type { SessionWork } from './session-work.ts';

export type { Hands, LiveOptions, LiveParts, LiveState } from './awake-sessions.ts';

/** The conversations that are awake. The only place that opens and closes sessions of the host. */
export interface LiveSessions extends SessionWork {
  /** Does what must not happen while anybody works with the key, with no session of it open. */
  alone<Result>(keyText: string, work: () => Promise<Result>): Promise<Result>;
  /**
   * Changes the generations of a key, while nobody works with it.
   *
   * @param options.abort  Why turns of the key are aborted until they are over. @default they are waited for
   */
  change<Result>(
    keyText: string,
    work: (hands: Hands) => Promise<Result>,
    options?: { readonly abort?: string | undefined },
  ): Promise<Result>;
  /** The session of a key, where it is awake; without waiting. For what only looks or aborts. */
  awake(keyText: string): Session | null;
  /** Aborts what runs, and closes all of them. Idempotent. */
  close(): Promise<void>;
}

/** Makes the conversations of one host. */
export function createLiveSessions(parts: LiveParts): LiveSessions {
  const sessions = new AwakeSessions(parts);
  return {
    use: (keyText, work, names = {}) => sessions.use(keyText, work, { names, joins: false }),
    join: (keyText, work) => sessions.use(keyText, work, { names: {}, joins: true }),
    alone: (keyText, work) =>
      sessions.change(
        keyText,
        async ({ sleep }) => {
          await sleep();
          return work();
        },
        {},
      ),
    change: (keyText, work, options = {}) => sessions.change(keyText, work, options),
    awake: (keyText) => sessions.awake(keyText),
    states: () => sessions.states(),
    hibernate: (keyText) => sessions.hibernate(keyText),
    close: () => sessions.close(),
  };
}
