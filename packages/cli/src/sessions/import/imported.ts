import type { JsonValue, Milliseconds, OpenOptions } from '@varve/core';
import type { LineAccount } from './line-account.ts';

/** What becomes of one conversation that is imported. `planned` is what a dry run says in the place of `imported`. */
export interface ImportLine {
  /** Where it was read: a file, with the number of its conversation where there are several. */
  readonly from: string;
  readonly outcome: 'imported' | 'planned' | 'skipped' | 'failed';
  readonly sessionId: string | null;
  readonly key: string | null;
  readonly messages: number;
  /** Messages that were not stored, because they are none. */
  readonly refused: number;
  /** Why it was skipped, or what went wrong. */
  readonly why: string | null;
  /** What became of each line of the file; absent where lines are not what it is made of, or none were read. */
  readonly lines?: LineAccount | undefined;
}

/** What is known of a conversation before its messages are read. */
export interface ImportTarget {
  readonly sessionId: string;
  readonly key: string | null;
  readonly names: Omit<OpenOptions, 'key' | 'readOnly' | 'settings' | 'state' | 'previousSessionId'>;
  readonly settings: Readonly<Record<string, JsonValue>>;
  /** Time of what has none in the file, and of the beginning of the session. */
  readonly at: Milliseconds;
}
