import type { Entry, Host, Milliseconds, Seq, Store } from '@varve/core';
import { readEntries } from '../journal/read-entries.ts';

/** Where a journal is followed from, and until when. */
interface EntryFollow {
  readonly sessionId: string;
  /** The last entry that is known. */
  readonly afterSeq: Seq;
  readonly signal: AbortSignal;
  /** Asked when nothing is left and something may have changed: with `true` the journal is not followed any more. */
  readonly isOver?: (() => Promise<boolean>) | undefined;
}

/** Follows journals, whoever appends to them: this process at once, others as the store tells, or when it is looked. */
export interface EntryHub {
  /** Entries behind one, in order, none twice and none left out. Holds a bounded number of them. */
  follow(what: EntryFollow): AsyncGenerator<Entry, void, undefined>;
  /** Lets those look again who follow a session: its conversation may go on elsewhere. */
  nudge(sessionId: string): void;
  /** Listens no longer. */
  close(): void;
}

/** What entries are followed with. */
export interface EntryHubParts {
  readonly host: Host;
  readonly store: Store;
  readonly pollMs: Milliseconds;
}

/** Entries that are kept for one who follows; whoever is further behind reads the journal. */
const keptEntries = 64;

/** Where nothing happens, it is looked so much more seldom each time. */
const slowing = 1.5;
const slowestFactor = 10;

interface Follower {
  /** The last entry that was given. */
  known: Seq;
  readonly kept: Entry[];
  /** Whether the journal is to be read. */
  isAsked: boolean;
  /** Whether this process appends to the journal: others are not likely to. */
  isOurs: boolean;
  readonly waiting: Waiting;
}

/** Makes it. It subscribes once, however many follow. */
export function createEntryHub({ host, store, pollMs }: EntryHubParts): EntryHub {
  const followers = new Map<string, Set<Follower>>();
  const appended = host.events.on('entry-appended', ({ sessionId, entry }) => {
    for (const follower of followers.get(sessionId) ?? []) {
      const { kept, waiting } = follower;
      // What is let go of leaves a gap.
      if (kept.length >= keptEntries) kept.length = 0;
      follower.isOurs = true;
      kept.push(entry);
      waiting.wake();
    }
  });
  const nudge = (sessionId: string): void => {
    for (const follower of followers.get(sessionId) ?? []) {
      follower.isOurs = false;
      ask(follower);
    }
  };
  const hibernated = host.events.on('session-hibernated', ({ sessionId }) => nudge(sessionId));
  return {
    nudge,
    close: () => {
      appended();
      hibernated();
    },
    follow: async function* follow(what) {
      const { sessionId, afterSeq, signal } = what;
      const waiting = createWaiting(signal);
      const follower: Follower = { known: afterSeq, kept: [], isAsked: true, isOurs: false, waiting };
      const own = followers.get(sessionId) ?? new Set();
      followers.set(sessionId, own.add(follower));
      const stopWatching = store.watch?.(sessionId, (seq) => {
        if (seq > follower.known) ask(follower);
      });
      try {
        yield* entriesFor(follower, { ...what, store, pollMs });
      } finally {
        stopWatching?.();
        own.delete(follower);
        if (own.size === 0 && followers.get(sessionId) === own) followers.delete(sessionId);
      }
    },
  };
}

function ask(follower: Follower): void {
  follower.isAsked = true;
  follower.waiting.wake();
}

async function* entriesFor(
  follower: Follower,
  { sessionId, signal, isOver, store, pollMs }: EntryFollow & Omit<EntryHubParts, 'host'>,
): AsyncGenerator<Entry, void, undefined> {
  const { kept, waiting } = follower;
  const slowestMs = pollMs * slowestFactor;
  let waitMs = pollMs;
  while (!signal.aborted) {
    const next = kept.shift();
    if (next?.seq === follower.known + 1) {
      follower.known = next.seq;
      yield next;
    } else if (next !== undefined) {
      // Behind a gap, the journal is read.
      if (next.seq > follower.known) follower.isAsked = true;
    } else if (follower.isAsked) {
      follower.isAsked = false;
      const before = follower.known;
      for await (const entry of readEntries(store, sessionId, { fromSeq: before + 1 })) {
        if (signal.aborted) return;
        follower.known = entry.seq;
        yield entry;
      }
      if (follower.known > before) waitMs = pollMs;
      else if (kept.length === 0 && isOver !== undefined && (await isOver())) return;
    } else if (await waiting.wait(follower.isOurs || store.watch !== undefined ? slowestMs : waitMs)) {
      follower.isAsked = true;
      waitMs = Math.min(waitMs * slowing, slowestMs);
    }
  }
}

interface Waiting {
  wake(): void;
  /** Resolves to whether the time was over. */
  wait(ms: Milliseconds): Promise<boolean>;
}

/** Waits until somebody wakes it, or a time is over. What wakes it before it waits is not lost. */
function createWaiting(signal: AbortSignal): Waiting {
  let isAwake = false;
  let wakeUp = (): void => undefined;
  const wake = (): void => {
    isAwake = true;
    wakeUp();
  };
  return {
    wake,
    wait: async (ms) => {
      if (isAwake || signal.aborted) {
        isAwake = false;
        return false;
      }
      let timer: NodeJS.Timeout | undefined;
      const isLate = await new Promise<boolean>((resolve) => {
        timer = setTimeout(() => resolve(true), ms);
        timer.unref();
        wakeUp = () => resolve(false);
        signal.addEventListener('abort', wakeUp, { once: true });
      });
      clearTimeout(timer);
      signal.removeEventListener('abort', wakeUp);
      wakeUp = () => undefined;
      isAwake = false;
      return isLate;
    },
  };
}
