import type { Entry } from '../../journal/entry.ts';
import type { Seq } from '../../units.ts';

/** How many of the last entries a feed keeps; who is further behind reads the journal. */
const keptEntries = 64;

/** Says how far the journal of an open session has come, to whoever follows it. Holds a bounded number of entries. */
export interface EntryFeed {
  /** Seq of the last entry that is known to be durable; 0 for none. */
  readonly lastSeq: Seq;
  readonly isClosed: boolean;
  /** Notes an entry that is durable. */
  stored(entry: Entry): void;
  /** Notes that somebody else's entries are there, up to the entry `seq`. */
  reached(seq: Seq): void;
  /** One of the last entries; `undefined` when it is not kept. */
  recent(seq: Seq): Entry | undefined;
  /** Lets go of the entries that are kept: the journal was written anew. */
  drop(): void;
  /** Calls back once, when an entry is stored or the feed is closed. Returns what cancels it. */
  onChange(callback: () => void): () => void;
  /** Nothing is stored any more. */
  close(): void;
}

/** Makes the feed of a journal that ends with the entry `lastSeq`. */
export function createEntryFeed(lastSeq: Seq): EntryFeed {
  const entries = new Map<Seq, Entry>();
  const waiting = new Set<() => void>();
  let last = lastSeq;
  let isClosed = false;
  const wake = (): void => {
    const callbacks = [...waiting];
    waiting.clear();
    for (const callback of callbacks) callback();
  };
  return {
    get lastSeq() {
      return last;
    },
    get isClosed() {
      return isClosed;
    },
    stored: (entry) => {
      // Who watches the store may have told of it, and of later ones, before.
      if (entry.seq <= last) return wake();
      // Somebody else's entries may lie between: what is kept has no gap.
      if (entry.seq !== last + 1) entries.clear();
      entries.set(entry.seq, entry);
      entries.delete(entry.seq - keptEntries);
      last = entry.seq;
      wake();
    },
    reached: (seq) => {
      if (seq <= last) return;
      entries.clear();
      last = seq;
      wake();
    },
    recent: (seq) => entries.get(seq),
    drop: () => entries.clear(),
    onChange: (callback) => {
      waiting.add(callback);
      return () => waiting.delete(callback);
    },
    close: () => {
      isClosed = true;
      wake();
    },
  };
}
