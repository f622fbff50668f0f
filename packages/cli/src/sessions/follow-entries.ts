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

/** Each stretch that is looked through is so many times as long as the one behind it. */
const stretchGrowth = 4;

/**
 * The seq of the first of the last entries that are wanted. Looks through the journal from its end on, holds no entry, and
 * takes no lock: neither time nor memory grow with what lies before.
 *
 * @param options.knownSeq  The last entry that the record of the session counts.
 */
export async function firstOfLast(
  store: Store,
  sessionId: string,
  options: { readonly knownSeq: Seq; readonly count: number; readonly isWanted: (entry: Entry) => boolean },
): Promise<Seq> {
  const { knownSeq, count, isWanted } = options;
  let toSeq = knownSeq;
  for await (const { seq } of entriesIn(store, sessionId, { fromSeq: knownSeq + 1 })) toSeq = seq;
  let fromSeq = toSeq + 1;
  let left = count;
  for (let length = count; left > 0 && toSeq > 0; length *= stretchGrowth) {
    fromSeq = Math.max(1, toSeq - length + 1);
    const seqs: Seq[] = [];
    for await (const entry of entriesIn(store, sessionId, { fromSeq, toSeq }))
      if (isWanted(entry)) seqs.push(entry.seq);
    fromSeq = seqs.at(-left) ?? fromSeq;
    left -= seqs.length;
    toSeq = fromSeq - 1;
  }
  return fromSeq;
}

/** The entries of a session from one on. Takes no lock. */
export function entriesFrom(store: Store, sessionId: string, fromSeq: Seq): AsyncGenerator<Entry, void, undefined> {
  return entriesIn(store, sessionId, { fromSeq });
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
    for await (const entry of entriesFrom(store, sessionId, afterSeq + 1)) {
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

async function* entriesIn(
  store: Store,
  sessionId: string,
  range: { readonly fromSeq: Seq; readonly toSeq?: Seq },
): AsyncGenerator<Entry, void, undefined> {
  try {
    const journal = await soundStore(store, new Map()).open(sessionId, { readOnly: true });
    try {
      yield* journal.read(range);
    } finally {
      await journal.close();
    }
  } catch (error) {
    // A record may be there before its journal is.
    if (!VarveError.is(error, 'VARVE_STORE_MISSING')) throw error;
  }
}
