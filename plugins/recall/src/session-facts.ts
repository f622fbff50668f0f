import { type LedgerFact, type MessageEntry, mergeLedger, type SessionView, textsOfMessage } from '@varve/core';
import { type SharedTime, turnOfOthers } from './turn-of-others.ts';

/** Identifiers and statements of a whole session. */
export interface SessionFacts {
  /**
   * Reads what has come since the last time. What a compaction covers is in its own ledger already, so that no more is
   * read than the messages that are visible.
   */
  update(session: SessionView, time: SharedTime): Promise<void>;
  /** What was read, each text once. */
  all(): readonly LedgerFact[];
}

/**
 * After every so many messages the ledger is cut to its size: to be the same however it was read, that happens where the
 * conversation says, not where a reading ended.
 */
const messagesPerCut = 64;

/** Makes the facts of a session of which nothing was read. */
export function createSessionFacts(): SessionFacts {
  return new VisibleFacts();
}

class VisibleFacts implements SessionFacts {
  #compactionId: string | null = null;
  #facts: readonly LedgerFact[] = [];
  #messages = 0;
  #lastId: string | null = null;

  async update(session: SessionView, time: SharedTime): Promise<void> {
    const compaction = session.compaction();
    const messages = session.messages();
    const isSame = compaction?.id === this.#compactionId && messages[this.#messages - 1]?.id === this.#lastId;
    if (!isSame) {
      this.#compactionId = compaction?.id ?? null;
      this.#facts = compaction?.digest.ledger ?? [];
      this.#messages = 0;
    }
    // Between two cuts the ledger only grows, so that it does not matter how often it is read.
    while (this.#messages < messages.length) {
      const some = someOf(messages, this.#messages);
      const isCut = (this.#messages + some.length) % messagesPerCut === 0;
      this.#facts = mergeLedger(this.#facts, some, isCut ? {} : { limit: Infinity });
      this.#messages += some.length;
      this.#lastId = some.at(-1)?.id ?? null;
      if (time.isUp(some.reduce((sum, entry) => sum + charactersOf(entry), 0))) await turnOfOthers();
    }
  }

  all(): readonly LedgerFact[] {
    return this.#facts;
  }
}

/** Messages that are read at once: some milliseconds of work, and none behind the next cut. */
const mostCharacters = 16_000;

function someOf(messages: readonly MessageEntry[], from: number): readonly MessageEntry[] {
  const end = Math.min(messages.length, from + messagesPerCut - (from % messagesPerCut));
  let characters = 0;
  let to = from;
  while (to < end && (to === from || characters < mostCharacters)) {
    characters += charactersOf(messages[to] as MessageEntry);
    to += 1;
  }
  return messages.slice(from, to);
}

function charactersOf({ message }: MessageEntry): number {
  return textsOfMessage(message).reduce((sum, text) => sum + text.length, 0);
}
