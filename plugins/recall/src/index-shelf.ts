import { createSessionIndex, type SessionIndex } from './session-index.ts';

/** Indexes of the sessions that were used last. */
export interface IndexShelf {
  /** The index of a session, an empty one when there is none; from now on it is the newest. */
  indexFor(sessionId: string): SessionIndex;
  /** Lets go of a session's index: it is made anew when it is asked for. */
  drop(sessionId: string): void;
  clear(): void;
}

/** Keeps the indexes of so many sessions; that of the one which was not used for longest goes, and is made anew. */
export function createIndexShelf(options: {
  readonly maxSessions: number;
  readonly maxChars: number;
  readonly skips: ReadonlySet<string>;
}): IndexShelf {
  const indexes = new Map<string, SessionIndex>();
  return {
    indexFor: (sessionId) => {
      const index = indexes.get(sessionId) ?? createSessionIndex(options);
      indexes.delete(sessionId);
      indexes.set(sessionId, index);
      for (const oldest of indexes.keys()) {
        if (indexes.size <= options.maxSessions) break;
        indexes.delete(oldest);
      }
      return index;
    },
    drop: (sessionId) => void indexes.delete(sessionId),
    clear: () => indexes.clear(),
  };
}
