import { createSessionIndex, type SessionIndex } from './session-index.ts';

/** Indexes of the sessions that were used last, within bounds that all of them share. */
export interface IndexShelf {
  /**
   * Works with the index of a session, an empty one when there is none. It is the newest from now on, and stays until the
   * work is over.
   */
  withIndex<Result>(sessionId: string, work: (index: SessionIndex) => Promise<Result>): Promise<Result>;
  /** Lets go of a session's index: it is made anew when it is asked for. */
  drop(sessionId: string): void;
  clear(): void;
}

/** What a shelf holds, and how the indexes on it read. */
interface ShelfOptions {
  /** Most sessions. */
  readonly maxSessions: number;
  /** Room of each index, and of all of them together, in UTF-16 code units. */
  readonly maxChars: number;
  readonly maxTotalChars: number;
  readonly skips: ReadonlySet<string>;
}

/**
 * Keeps the indexes of so many sessions, and of so much text. Those that were not used for longest go, each as a whole, and
 * are made anew: what an index finds never depends on which others there are.
 */
export function createIndexShelf(options: ShelfOptions): IndexShelf {
  return new BoundedShelf(options);
}

/** An index, the room it takes, and how many work with it. */
interface Kept {
  readonly index: SessionIndex;
  chars: number;
  uses: number;
}

class BoundedShelf implements IndexShelf {
  readonly #options: ShelfOptions;
  /** The one that was used last stands at the end. */
  readonly #kept = new Map<string, Kept>();
  /** What all take, those included that are let go of while somebody still works with them. */
  #chars = 0;

  constructor(options: ShelfOptions) {
    this.#options = options;
  }

  async withIndex<Result>(sessionId: string, work: (index: SessionIndex) => Promise<Result>): Promise<Result> {
    const kept = this.#kept.get(sessionId) ?? this.#begin();
    this.#kept.delete(sessionId);
    this.#kept.set(sessionId, kept);
    kept.uses += 1;
    this.#makeRoom();
    try {
      return await work(kept.index);
    } finally {
      kept.uses -= 1;
      if (this.#kept.get(sessionId) !== kept) this.#release(kept);
      this.#makeRoom();
    }
  }

  drop(sessionId: string): void {
    const kept = this.#kept.get(sessionId);
    if (kept === undefined) return;
    this.#kept.delete(sessionId);
    this.#release(kept);
  }

  clear(): void {
    for (const sessionId of [...this.#kept.keys()]) this.drop(sessionId);
  }

  #begin(): Kept {
    const resized = (chars: number): void => {
      this.#chars += chars - kept.chars;
      kept.chars = chars;
      this.#makeRoom();
    };
    const kept: Kept = { index: createSessionIndex({ ...this.#options, resized }), chars: 0, uses: 0 };
    return kept;
  }

  /** Lets go of what was not used for longest until the bounds hold: never of what is worked with, or was used last. */
  #makeRoom(): void {
    const { maxSessions, maxTotalChars } = this.#options;
    let newer = this.#kept.size - 1;
    for (const [sessionId, { uses }] of this.#kept) {
      if (newer === 0 || (this.#kept.size <= maxSessions && this.#chars <= maxTotalChars)) break;
      newer -= 1;
      if (uses === 0) this.drop(sessionId);
    }
  }

  /** Counts what is not kept any more as gone as soon as nobody works with it. */
  #release(kept: Kept): void {
    if (kept.uses > 0) return;
    this.#chars -= kept.chars;
    kept.chars = 0;
  }
}
