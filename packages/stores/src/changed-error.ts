import { VarveError } from '@varve/core';

/** Says that the record of a session that was to be removed is not as the caller knows it. */
export function changedError(
  sessionId: string,
  revs: { readonly rev: number; readonly expectedRev: number },
): VarveError {
  const message = `The record of session "${sessionId}" has rev ${revs.rev}, and not ${revs.expectedRev}.`;
  return new VarveError('VARVE_STORE_CONFLICT', message, {
    fix: 'Read the record again, and decide whether the session is to go all the same.',
    details: { sessionId, ...revs },
  });
}
