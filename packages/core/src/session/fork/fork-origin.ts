import { VarveError } from '../../errors.ts';
import type { JournalHeader } from '../../journal/store.ts';
import type { Seq } from '../../units.ts';

/** Whether a journal is a fork that was not finished: what it holds is a part of a history, and looks like a whole one. */
export function isTorn({ forkedFrom }: JournalHeader, lastSeq: Seq): boolean {
  return forkedFrom !== undefined && lastSeq < forkedFrom.seq;
}

/** Keeps everybody from a fork that was not finished. @throws VARVE_FORK_TORN */
export function refuseTorn(header: JournalHeader, lastSeq: Seq): void {
  if (!isTorn(header, lastSeq)) return;
  const { sessionId, forkedFrom } = header;
  const message = `Session "${sessionId}" is a fork that was not finished: it ends at #${lastSeq}, not at #${forkedFrom?.seq}.`;
  throw new VarveError('VARVE_FORK_TORN', message, {
    fix: 'Call host.fork again with the same newSessionId: it goes on where it stopped.',
    details: { sessionId, forkedFrom, lastSeq },
  });
}
