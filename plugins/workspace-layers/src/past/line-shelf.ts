import { createLexicalIndex, type LexicalIndex, type Seq } from '@varve/core';
import { charsOf, leastChars, SessionLines } from './session-lines.ts';

/** A passage of a session: where its text is to be read. */
export interface ShelvedPassage {
  readonly id: number;
  readonly sessionId: string;
  readonly seq: Seq;
  readonly ordinal: number;
}

/** The words of the sessions that were searched last, within bounds. */
export interface LineShelf {
  /** What is known of a session; it stays until it is given back as often as it was taken. */
  take(sessionId: string): SessionLines;
  giveBack(sessionId: string): void;
  /** Passages of these sessions that have words of the query, best first. What may not be shown has no part in it. */
  search(
    query: string,
    options: { readonly sessionIds: ReadonlySet<string>; readonly limit: number },
  ): readonly ShelvedPassage[];
  /** Takes out one passage: its text is gone. */
  remove(id: number): void;
  /** Lets go of what is known of a session: it is read anew when it is asked for. */
  drop(sessionId: string): void;
}

/** Makes an empty shelf. Beyond `maxChars` the sessions that were not used for longest go. */
export function createLineShelf({ maxChars }: { readonly maxChars: number }): LineShelf {
  return new BoundedShelf(maxChars);
}

interface Kept {
  readonly lines: SessionLines;
  uses: number;
}

class BoundedShelf implements LineShelf {
  readonly #maxChars: number;
  readonly #words: LexicalIndex;
  readonly #passages = new Map<number, ShelvedPassage & { readonly chars: number }>();
  /** The one that was used last stands at the end. */
  readonly #sessions = new Map<string, Kept>();
  #lastId = 0;
  #chars = 0;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
    this.#words = createLexicalIndex({ maxDocuments: Math.ceil((maxChars / leastChars) * 3) });
  }

  take(sessionId: string): SessionLines {
    const kept = this.#sessions.get(sessionId) ?? this.#begin(sessionId);
    this.#sessions.delete(sessionId);
    this.#sessions.set(sessionId, kept);
    kept.uses += 1;
    return kept.lines;
  }

  giveBack(sessionId: string): void {
    const kept = this.#sessions.get(sessionId);
    if (kept !== undefined) kept.uses -= 1;
    for (const [id, { lines, uses }] of this.#sessions) {
      if (this.#chars <= this.#maxChars) break;
      if (uses > 0) continue;
      lines.clear();
      this.#sessions.delete(id);
      this.#chars -= leastChars;
    }
  }

  search(
    query: string,
    { sessionIds, limit }: { readonly sessionIds: ReadonlySet<string>; readonly limit: number },
  ): readonly ShelvedPassage[] {
    const filter = (id: string | number): boolean => {
      const passage = this.#passages.get(Number(id));
      if (passage === undefined || !sessionIds.has(passage.sessionId)) return false;
      const lines = this.#sessions.get(passage.sessionId)?.lines;
      return lines?.isOpen === true && lines.isOnPath(passage.seq);
    };
    return this.#words.search(query, { limit, filter }).flatMap(({ id }) => this.#passages.get(Number(id)) ?? []);
  }

  remove(id: number): void {
    this.#words.remove(id);
    this.#chars -= this.#passages.get(id)?.chars ?? 0;
    this.#passages.delete(id);
  }

  drop(sessionId: string): void {
    this.#sessions.get(sessionId)?.lines.drop();
  }

  #begin(sessionId: string): Kept {
    const add = (text: string, { seq, ordinal }: { readonly seq: Seq; readonly ordinal: number }): number => {
      this.#lastId += 1;
      const id = this.#lastId;
      this.#words.add({ id, text });
      this.#passages.set(id, { id, sessionId, seq, ordinal, chars: charsOf(text) });
      this.#chars += charsOf(text);
      return id;
    };
    this.#chars += leastChars;
    const lines = new SessionLines({ add, remove: (id) => this.remove(id) }, { maxChars: this.#maxChars });
    return { lines, uses: 0 };
  }
}
