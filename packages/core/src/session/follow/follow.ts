import { z } from 'zod';
import { VarveError } from '../../errors.ts';
import type { Entry } from '../../journal/entry.ts';
import type { JournalEvent } from '../../plugins/events.ts';
import { eventsOfEntry } from '../../plugins/journal-events.ts';
import type { Seq } from '../../units.ts';
import { checkShape, signalSchema } from '../option-checks.ts';
import type { SessionRuntime } from '../session-runtime.ts';
import type { EntryFeed } from './entry-feed.ts';

/** How many entries are read from the journal at a time, so that none of its resources are held for long. */
const pageEntries = 256;

/** From where, and until when, a session is followed. */
export interface FollowOptions {
  /** Seq of the last entry whose events are known already. One past the end waits for what comes next. @default 0 */
  readonly afterSeq?: Seq | undefined;
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined;
}

const schema = z.object({ afterSeq: z.number().int().nonnegative().optional(), signal: signalSchema.optional() });

/** Checks how a session is to be followed, which may come from plain JavaScript. @throws VARVE_OPTION_INVALID */
export function checkFollow(options: FollowOptions): void {
  checkShape(options, { schema, fix: 'Give { afterSeq } as the seq of an entry, or 0, and { signal }.' });
}

/** What is followed of a session. */
type Followed = Pick<SessionRuntime, 'journal' | 'feed' | 'events'>;

/**
 * The events of a session's journal from an entry on: those of the past out of the journal, then each as it is stored,
 * none twice and none left out. However slowly it is read, no more than one event waits in memory. Ends when the signal
 * is aborted, the iteration is left, or the session is closed; never throws for one of these.
 */
export function followJournal(
  runtime: Followed,
  { afterSeq = 0, signal }: FollowOptions = {},
): AsyncIterableIterator<JournalEvent> {
  const left = new AbortController();
  const ends = signal === undefined ? left.signal : AbortSignal.any([left.signal, signal]);
  const events = eventsAfter(runtime, Math.min(afterSeq, runtime.feed.lastSeq), ends);
  return {
    next: () => events.next(),
    return: () => {
      // The generator can only be left once it does not wait any more.
      left.abort();
      return events.return(undefined);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

async function* eventsAfter(
  runtime: Followed,
  afterSeq: Seq,
  ends: AbortSignal,
): AsyncGenerator<JournalEvent, undefined> {
  const { feed, events } = runtime;
  let known = afterSeq;
  while (!ends.aborted) {
    const end = feed.lastSeq;
    if (known >= end) {
      if (feed.isClosed) return;
      await nextChange(feed, ends);
      continue;
    }
    try {
      for await (const entry of entriesBetween(runtime, known + 1, end)) {
        for (const event of eventsOfEntry(entry, events.base())) {
          if (ends.aborted) return;
          yield event;
        }
      }
    } catch (error) {
      // Whoever is that far behind when the session is closed goes on from where he is when it is open again.
      if (feed.isClosed || VarveError.is(error, 'VARVE_STORE_CLOSED')) return;
      throw error;
    }
    known = end;
  }
}

/** Entries of a range: those that are kept as they are, others out of the journal, a page at a time. */
async function* entriesBetween(
  { feed, journal }: Followed,
  fromSeq: Seq,
  toSeq: Seq,
): AsyncGenerator<Entry, undefined> {
  let seq = fromSeq;
  while (seq <= toSeq) {
    const entry = feed.recent(seq);
    if (entry === undefined) {
      const last = Math.min(toSeq, seq + pageEntries - 1);
      yield* journal.journal.read({ fromSeq: seq, toSeq: last });
      seq = last + 1;
    } else {
      yield entry;
      seq += 1;
    }
  }
}

/** Waits until the feed has changed or the iteration ends. */
async function nextChange(feed: EntryFeed, ends: AbortSignal): Promise<void> {
  let stop = (): void => undefined;
  await new Promise<void>((resolve) => {
    const cancel = feed.onChange(resolve);
    const onAbort = (): void => resolve();
    ends.addEventListener('abort', onAbort, { once: true });
    stop = () => {
      cancel();
      ends.removeEventListener('abort', onAbort);
    };
  });
  stop();
}
