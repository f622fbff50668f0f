import { VarveError } from '@varve/core';

/** What became of one session of many. */
export interface ChangeLine {
  readonly sessionId: string;
  readonly key: string | null;
  /** `planned` is what a dry run says in the place of `done`. */
  readonly outcome: 'done' | 'planned' | 'skipped' | 'failed';
  /** In words: why it was skipped, or what went wrong; `null` where there is nothing to say. */
  readonly why: string | null;
  /** Code of the error, where one was thrown that has a code. */
  readonly code?: string | undefined;
}

/** The line of a session with which something went wrong. */
export function failedLine({ sessionId, key }: Pick<ChangeLine, 'sessionId' | 'key'>, error: unknown): ChangeLine {
  const why = error instanceof Error ? error.message : String(error);
  return { sessionId, key, outcome: 'failed', why, ...(VarveError.is(error) ? { code: error.code } : {}) };
}
