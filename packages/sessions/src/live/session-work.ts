import type { Session } from '@varve/core';
import type { GenerationNames } from '../generation/begin-generation.ts';
import type { LiveState } from './awake-sessions.ts';

/** Work with conversations, each of which is woken when somebody works with it, and sleeps when nobody has for a while. */
export interface SessionWork {
  /**
   * Works with the current generation of a conversation, which is woken, or begun, where it has to be. It does not go to
   * sleep and is not reset meanwhile. Not to be nested for one key, which could wait for itself: see `join`.
   *
   * @param names  What is said of the conversation from now on. @default what was said before
   * @throws VARVE_SESSION_CLOSED  when the conversations are closed; VARVE_OPTION_INVALID, VARVE_STORE_LOCKED  and what else
   *   opening a session throws; and what `work` throws.
   */
  use<Result>(keyText: string, work: (session: Session) => Promise<Result>, names?: GenerationNames): Promise<Result>;
  /**
   * The same for what is called within a `use` of the key, such as a tool of its turn: it does not wait for somebody who
   * waits for that turn's end, such as a reset.
   */
  join<Result>(keyText: string, work: (session: Session) => Promise<Result>): Promise<Result>;
  /** The conversations that are awake. All others are asleep, or archived. */
  states(): readonly LiveState[];
  /** Puts a conversation to sleep now; `false` where it is not awake, or something goes on in it. */
  hibernate(keyText: string): Promise<boolean>;
}
