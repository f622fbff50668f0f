import {
  type Entry,
  type Journal,
  type Milliseconds,
  type SessionRecord,
  type ToolContext,
  throwIfAborted,
  untilAborted,
} from '@varve/core';
import { oneCleanLine } from '../clean-text.ts';
import { conversationOf } from '../conversation.ts';
import { encodeName } from '../encoded-name.ts';
import type { Note, NoteSource } from '../note.ts';
import { createLineShelf, type LineShelf, type ShelvedPassage } from './line-shelf.ts';
import { mayReadSession } from './may-read-session.ts';
import type { SettledPastOptions } from './past-options.ts';
import { readableSessions } from './readable-sessions.ts';
import { passagesOfLines, saidLines, sourceOfMessage } from './said-lines.ts';
import type { SessionLines } from './session-lines.ts';
import type { SessionPlace } from './session-name.ts';

/** Something that was said in another session. */
interface PastMessage extends SessionPlace {
  readonly at: Milliseconds;
  readonly from: NoteSource;
  readonly lines: Note['lines'];
}

/** A piece of it that has words of a query. */
export interface PastPassage extends Omit<PastMessage, 'lines'> {
  readonly text: string;
}

/** What came of a search. */
export interface PastHits {
  /** The best first. */
  readonly found: readonly PastPassage[];
  /** What could not be read, in sentences. */
  readonly problems: readonly string[];
  /** True when there was more to read than there was time or room for. */
  readonly isCut: boolean;
}

/** What a tool asks with. */
type Asker = Pick<ToolContext, 'session' | 'signal' | 'deadline' | 'now'>;

/** Earlier conversations, for those who may see them. */
export interface PastSessions {
  /**
   * Searches what was said in other sessions that the asking one may see.
   *
   * @throws VARVE_ABORTED  when the signal is aborted. What one session or the store throws is a problem that is told.
   */
  search(query: string, asker: Asker, limit: number): Promise<PastHits>;
  /**
   * A message, and so many on each side of it, in order; none when there is nothing there that the session may see.
   *
   * @throws VARVE_ABORTED  when the signal is aborted; else what the store throws.
   */
  read(place: SessionPlace, asker: Asker, beside: number): Promise<readonly PastMessage[]>;
  /** Lets go of what is known of a session. */
  drop(sessionId: string): void;
}

/** Candidates for each hit: some may turn out to say nothing any more. */
const spare = 3;

/**
 * Makes earlier conversations that nobody has read yet.
 *
 * @param owners  Identities of the owner; `null`: whoever has a direct chat.
 */
export function createPastSessions(options: SettledPastOptions, owners: readonly string[] | null): PastSessions {
  return new StoredSessions(options, owners);
}

class StoredSessions implements PastSessions {
  readonly #options: SettledPastOptions;
  readonly #owners: readonly string[] | null;
  readonly #shelf: LineShelf;

  constructor(options: SettledPastOptions, owners: readonly string[] | null) {
    this.#options = options;
    this.#owners = owners;
    this.#shelf = createLineShelf(options);
  }

  async search(query: string, asker: Asker, limit: number): Promise<PastHits> {
    const problems: string[] = [];
    const taken: string[] = [];
    try {
      const { store, maxSessions } = this.#options;
      const listing = readableSessions(asker.session, { store, owners: this.#owners, maxSessions });
      const records = await untilAborted(listing, asker.signal);
      const { open, isCut } = await this.#readAll(records, { asker: inHalfTheTime(asker), taken, problems });
      const hits = this.#shelf.search(query, { sessionIds: open, limit: limit * spare });
      return { found: await this.#show(hits, { asker, limit, problems }), problems, isCut };
    } catch (error) {
      throwIfAborted(asker.signal);
      problems.push(`Earlier conversations could not be searched: ${messageOf(error)}`);
      return { found: [], problems, isCut: true };
    } finally {
      for (const sessionId of taken) this.#shelf.giveBack(sessionId);
    }
  }

  async read({ sessionId, seq }: SessionPlace, asker: Asker, beside: number): Promise<readonly PastMessage[]> {
    const messages = await this.#visit(sessionId, asker, async ({ journal, lines, isOwner }) => {
      const seqs = lines.seqs();
      const at = seqs.indexOf(seq);
      if (at < 0) return [];
      const entries = await journal.get(seqs.slice(Math.max(0, at - beside), at + beside + 1));
      return entries.flatMap((entry) => messageOfEntry(entry, { sessionId, isOwner }) ?? []);
    });
    return messages?.some((message) => message.seq === seq) === true ? messages : [];
  }

  drop(sessionId: string): void {
    this.#shelf.drop(sessionId);
  }

  /** Reads what is new in each session, the newest first, until there is no more time or room. */
  async #readAll(records: readonly SessionRecord[], { asker, taken, problems }: Search): Promise<OpenSessions> {
    const open = new Set<string>();
    let isCut = false;
    let left = this.#options.maxChars;
    for (const record of records) {
      if (left <= 0 || asker.now() > asker.deadline) return { open, isCut: true };
      const { sessionId } = record;
      const lines = this.#shelf.take(sessionId);
      taken.push(sessionId);
      try {
        if (!lines.isCurrent(record)) await this.#open(record, asker, async () => undefined);
        if (lines.isOpen) open.add(sessionId);
        isCut ||= !lines.isComplete;
        left -= lines.chars;
      } catch (error) {
        throwIfAborted(asker.signal);
        problems.push(problemOf(sessionId, error));
      }
    }
    return { open, isCut };
  }

  /** The texts of the best hits, as they stand in the journals now. */
  async #show(
    hits: readonly ShelvedPassage[],
    { asker, limit, problems }: Omit<Search, 'taken'> & { readonly limit: number },
  ): Promise<readonly PastPassage[]> {
    const texts = new Map<number, PastPassage>();
    const visited = new Set<string>();
    const found: PastPassage[] = [];
    for (const { id, sessionId } of hits) {
      if (!visited.has(sessionId)) {
        visited.add(sessionId);
        const own = hits.filter((hit) => hit.sessionId === sessionId);
        try {
          for (const [hit, text] of await this.#textsOf(own, sessionId, asker)) texts.set(hit, text);
        } catch (error) {
          throwIfAborted(asker.signal);
          problems.push(problemOf(sessionId, error));
        }
      }
      found.push(...[texts.get(id)].filter((text) => text !== undefined));
      if (found.length === limit) break;
    }
    return found;
  }

  /** The texts of some passages of one session; those that say nothing any more are taken out. */
  async #textsOf(
    hits: readonly ShelvedPassage[],
    sessionId: string,
    asker: Asker,
  ): Promise<ReadonlyMap<number, PastPassage>> {
    const texts = await this.#visit(sessionId, asker, async ({ journal, lines, isOwner }) => {
      const entries = await journal.get([...new Set(hits.map(({ seq }) => seq))]);
      const said = new Map(entries.map((entry) => [entry.seq, messageOfEntry(entry, { sessionId, isOwner })]));
      const shown = new Map<number, PastPassage>();
      for (const { id, seq, ordinal } of hits) {
        const message = said.get(seq);
        const text = passagesOfLines(message?.lines ?? [])[ordinal];
        if (message === undefined || message === null || text === undefined) this.#shelf.remove(id);
        else if (lines.isOnPath(seq)) shown.set(id, { sessionId, seq, at: message.at, from: message.from, text });
      }
      return shown;
    });
    return texts ?? new Map();
  }

  /**
   * Opens a session that may be seen, now that it is opened: reads what is new in it, and uses it. `null` when it may not
   * be seen, when it is incognito, or when not all of it has been read.
   */
  async #visit<Result>(
    sessionId: string,
    asker: Asker,
    use: (visit: Visit) => Promise<Result>,
  ): Promise<Result | null> {
    const record = await untilAborted(this.#options.store.sessions.get(sessionId), asker.signal);
    if (record === null || !mayReadSession(record, asker.session, this.#owners)) return null;
    return this.#open(record, asker, use);
  }

  /** Like `#visit`, of a session that was just listed. */
  async #open<Result>(
    record: SessionRecord,
    { signal, ...time }: Asker,
    use: (visit: Visit) => Promise<Result>,
  ): Promise<Result | null> {
    const { sessionId } = record;
    const lines = this.#shelf.take(sessionId);
    try {
      const journal = await this.#options.store.open(sessionId, { readOnly: true });
      try {
        await untilAborted(lines.update(journal, record, { signal, ...time }), signal);
        if (!lines.isOpen) return null;
        return await untilAborted(
          use({ journal, lines, isOwner: conversationOf(record, this.#owners).isOwner }),
          signal,
        );
      } finally {
        await journal.close();
      }
    } finally {
      this.#shelf.giveBack(sessionId);
    }
  }
}

interface Search {
  readonly asker: Asker;
  /** Sessions that the search uses until it is over. */
  readonly taken: string[];
  readonly problems: string[];
}

interface OpenSessions {
  readonly open: ReadonlySet<string>;
  readonly isCut: boolean;
}

/** A session while it is open. */
interface Visit {
  readonly journal: Journal;
  readonly lines: SessionLines;
  readonly isOwner: boolean;
}

/** What an entry says; `null` for nothing that may be shown. */
function messageOfEntry(
  entry: Entry,
  { sessionId, isOwner }: { readonly sessionId: string; readonly isOwner: boolean },
): PastMessage | null {
  const lines = saidLines(entry);
  if (entry.type !== 'message' || lines.length === 0) return null;
  return { sessionId, seq: entry.seq, at: entry.at, from: sourceOfMessage(entry, isOwner), lines };
}

/** Of the time that there is, half is for reading what is new. */
function inHalfTheTime({ session, signal, deadline, now }: Asker): Asker {
  return { session, signal, deadline: (now() + deadline) / 2, now };
}

function problemOf(sessionId: string, error: unknown): string {
  return `The earlier conversation ${encodeName(sessionId)} could not be read, and is left out: ${messageOf(error)}`;
}

function messageOf(error: unknown): string {
  return oneCleanLine(error instanceof Error ? error.message : String(error));
}
