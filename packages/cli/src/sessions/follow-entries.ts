import { setTimeout } from 'node:timers/promises';
import { type Entry, type Seq, type Store, VarveError } from '@varve/core';
import { soundStore } from '../store/open-journal.ts';
import type { OpenedSessions } from '../store/open-sessions.ts';

/** How often the file is looked at: another process tells nobody that it has written. */
const lookAgainMs = 250;

/** Where following begins. */
export interface FollowFrom {
  readonly sessionId: string;
  /** The last entry that is known. */
  readonly afterSeq: Seq;
  /** Key of the conversation, to go on with its next generation; `null` for one session alone. */
  readonly key: string | null;
}

/** What is found: an entry, or that the conversation goes on in another session. */
export type Followed =
  | { readonly kind: 'entry'; readonly entry: Entry }
  | { readonly kind: 'generation'; readonly sessionId: string };

/** The last entries that are wanted, in order, and the seq of the very last. Reads the journal once, and takes no lock. */
export async function lastEntries(
  store: Store,
  sessionId: string,
  { count, isWanted }: { readonly count: number; readonly isWanted: (entry: Entry) => boolean },
): Promise<{ readonly entries: readonly Entry[]; readonly lastSeq: Seq }> {
  const kept: Entry[] = [];
  let lastSeq = 0;
  for await (const entry of entriesAfter(store, sessionId, 0)) {
    lastSeq = entry.seq;
    if (isWanted(entry)) kept.push(entry);
    // Cut now and then alone: each cut moves what is kept.
    if (kept.length > 2 * count + 64) kept.splice(0, kept.length - count);
  }
  return { entries: kept.slice(-count), lastSeq };
}

/** What is stored from an entry on, whoever stores it, until the signal is aborted. Takes no lock. */
export async function* followEntries(
  { store, sessions }: Pick<OpenedSessions, 'store' | 'sessions'>,
  from: FollowFrom,
  signal: AbortSignal | undefined,
): AsyncGenerator<Followed, void, undefined> {
  let { sessionId, afterSeq } = from;
  const isOver = (): boolean => signal?.aborted === true;
  while (!isOver()) {
    for await (const entry of entriesAfter(store, sessionId, afterSeq)) {
      afterSeq = entry.seq;
      yield { kind: 'entry', entry };
      if (isOver()) return;
    }
    const current = from.key === null ? null : await sessions.current(from.key);
    if (current !== null && current.sessionId !== sessionId) {
      ({ sessionId } = current);
      afterSeq = 0;
      yield { kind: 'generation', sessionId };
    } else await setTimeout(lookAgainMs, undefined, { ...(signal && { signal }) }).catch(() => undefined);
  }
}

async function* entriesAfter(store: Store, sessionId: string, afterSeq: Seq): AsyncGenerator<Entry, void, undefined> {
  try {
    const journal = await soundStore(store, new Map()).open(sessionId, { readOnly: true });
    try {
      yield* journal.read({ fromSeq: afterSeq + 1 });
    } finally {
      await journal.close();
    }
  } catch (error) {
    // A record may be there before its journal is.
    if (!VarveError.is(error, 'VARVE_STORE_MISSING')) throw error;
  }
}
