import { type Seq, VarveError } from '@varve/core';

export function missingError(sessionId: string): VarveError {
  return new VarveError('VARVE_STORE_MISSING', `There is no journal of session "${sessionId}".`, {
    fix: 'Check the session id and the schema, or pass `create` with a header to begin a journal.',
    details: { sessionId },
  });
}

export function closedError(what: string): VarveError {
  return new VarveError('VARVE_STORE_CLOSED', `The ${what} was used after it had been closed.`, {
    fix: 'Open it again.',
  });
}

export function readOnlyError(sessionId: string): VarveError {
  return new VarveError('VARVE_STORE_READ_ONLY', `The journal of session "${sessionId}" was opened for reading only.`, {
    fix: 'Open it without `readOnly`.',
    details: { sessionId },
  });
}

export function replacedError(sessionId: string): VarveError {
  return new VarveError('VARVE_STORE_CONFLICT', `Somebody else has replaced the journal of session "${sessionId}".`, {
    fix: 'Read its tail, and append what still stands.',
    details: { sessionId },
  });
}

export function behindError(): VarveError {
  return new VarveError('VARVE_STORE_CONFLICT', 'The append before this one failed, so its entries have another place.', {
    fix: 'Read the tail of the journal, number the entries anew, and append again.',
  });
}

export function conflictError(seqs: { readonly expectedSeq: Seq; readonly lastSeq: Seq }): VarveError {
  const message = `The change expected seq ${seqs.expectedSeq} to be the last; it is ${seqs.lastSeq}.`;
  return new VarveError('VARVE_STORE_CONFLICT', message, {
    fix: 'Read what was appended meanwhile, number the entries anew, and append again.',
    details: seqs,
  });
}

export function leaseError(fences: { readonly fence: number; readonly highest: number }): VarveError {
  const message = `The append has fence ${fences.fence}; one with ${fences.highest} came before it.`;
  return new VarveError('VARVE_LEASE_LOST', message, {
    fix: 'Let the host that has taken over answer, or take the lease anew.',
    details: fences,
  });
}

export function replacementError(what: string): VarveError {
  return new VarveError('VARVE_STORE_CONFLICT', `${what}: a journal is replaced seq by seq.`, {
    fix: 'Give an entry for each seq of the journal, from 1 on and in order.',
  });
}
