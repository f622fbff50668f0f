import { VarveError } from '../errors.ts';

/** What a session says to who begins something when it has been closed, or is being closed. */
export function closedError(): VarveError {
  return new VarveError('VARVE_SESSION_CLOSED', 'The session has been closed.', {
    fix: 'Open it again with host.open.',
  });
}
