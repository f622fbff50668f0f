import { type Seq, VarveError } from '@varve/core';

/** The journal was to be opened, and nobody has begun it. */
export function missingError(sessionId: string): VarveError {
  return new VarveError('VARVE_STORE_MISSING', `There is no journal of session "${sessionId}".`, {
    fix: 'Check the session id and the schema, or pass `create` with a header to begin a journal.',
    details: { sessionId },
  });
}

/** Something was used that had been closed: a journal, or the store. */
export function closedError(what: string): VarveError {
  return new VarveError('VARVE_STORE_CLOSED', `The ${what} was used after it had been closed.`, {
    fix: 'Open it again.',
  });
}

/** Somebody who only reads was to write. */
export function readOnlyError(sessionId: string): VarveError {
  return new VarveError('VARVE_STORE_READ_ONLY', `The journal of session "${sessionId}" was opened for reading only.`, {
    fix: 'Open it without `readOnly`.',
    details: { sessionId },
  });
}

/** The caller knows a journal in whose place another one stands. */
export function replacedError(sessionId: string): VarveError {
  return new VarveError('VARVE_STORE_CONFLICT', `Somebody else has replaced the journal of session "${sessionId}".`, {
    fix: 'Read its tail, and append what still stands.',
    details: { sessionId },
  });
}

/** An append waited behind one that failed. */
export function behindError(): VarveError {
  return new VarveError(
    'VARVE_STORE_CONFLICT',
    'The append before this one failed, so its entries have another place.',
    {
      fix: 'Read the tail of the journal, number the entries anew, and append again.',
    },
  );
}

/** A change was made for another last seq than the journal has. */
export function conflictError(seqs: { readonly expectedSeq: Seq; readonly lastSeq: Seq }): VarveError {
  const message = `The change expected seq ${seqs.expectedSeq} to be the last; it is ${seqs.lastSeq}.`;
  return new VarveError('VARVE_STORE_CONFLICT', message, {
    fix: 'Read what was appended meanwhile, number the entries anew, and append again.',
    details: seqs,
  });
}

/** An append came under a lease that somebody else has taken over. */
export function leaseError(fences: { readonly fence: number; readonly highest: number }): VarveError {
  const message = `The append has fence ${fences.fence}; one with ${fences.highest} came before it.`;
  return new VarveError('VARVE_LEASE_LOST', message, {
    fix: 'Let the host that has taken over answer, or take the lease anew.',
    details: fences,
  });
}

/** What is to replace a journal has not each of its seqs once and in order. */
export function replacementError(what: string): VarveError {
  return new VarveError('VARVE_STORE_CONFLICT', `${what}: a journal is replaced seq by seq.`, {
    fix: 'Give an entry for each seq of the journal, from 1 on and in order.',
  });
}
