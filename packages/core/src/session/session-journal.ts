import type { Clock } from '../clock.ts';
import { VarveError } from '../errors.ts';
import { type CarriedState, carry, emptyCarriedState } from '../journal/carried-state.ts';
import type { Entry, NewEntry } from '../journal/entry.ts';
import { createFolding, type Folded, type Folding } from '../journal/fold.ts';
import type { Checkpoint, Journal } from '../journal/store.ts';
import type { Milliseconds, Seq, Ulid } from '../units.ts';

/** The journal of one open session and what it means now. The only place that makes entries. */
export interface SessionJournal {
  readonly journal: Journal;
  folded(): Folded;
  /** Seq of the entry that was ingested under a key; `undefined` for a key that is not known. */
  seqOfKey(key: string): Seq | undefined;
  /** Appends entries, in the order of the calls; they follow the head. Resolves when they are durable. */
  append(entries: readonly NewEntry[]): Promise<readonly Entry[]>;
  /** Keeps an entry, with the time it has now, to be stored with, and before, the next append. */
  defer(entry: NewEntry): void;
  /** What the journal would mean with one more entry; nothing is stored. */
  foldedWith(entry: NewEntry): Folded;
  /** Reads the journal again from an earlier entry, which the appended entries make visible. */
  appendFrom(seq: Seq, entries: readonly NewEntry[]): Promise<readonly Entry[]>;
  /** Stores what was deferred and lets go of the journal. */
  close(): Promise<void>;
}

/** An entry to be, and when it was made. */
interface Timed {
  readonly entry: NewEntry;
  readonly at: Milliseconds;
}

/** Entry types whose append carries a checkpoint: they change where reading may start. */
const checkpointTypes: ReadonlySet<string> = new Set(['compaction', 'head', 'revoke']);

/** Opens the journal of a session: reads its tail and folds it. */
export async function openSessionJournal(journal: Journal, options: SessionJournalOptions): Promise<SessionJournal> {
  return new OpenSessionJournal(journal, { ...options, folding: createFolding(await journal.tail()) });
}

/** Where a session journal gets time and ids from, and who is told of its entries. */
export interface SessionJournalOptions {
  readonly clock: Clock;
  readonly mintId: () => Ulid;
  /** Called for each entry once it is durable. */
  readonly onAppend: (entry: Entry) => void;
}

class OpenSessionJournal implements SessionJournal {
  readonly journal: Journal;
  readonly #options: SessionJournalOptions;
  #folding: Folding;
  #deferred: readonly Timed[] = [];
  #queue: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | null = null;

  constructor(journal: Journal, options: SessionJournalOptions & { readonly folding: Folding }) {
    this.journal = journal;
    this.#options = options;
    this.#folding = options.folding;
  }

  folded(): Folded {
    return this.#folding.view();
  }

  seqOfKey(key: string): Seq | undefined {
    return this.#folding.seqOfKey(key);
  }

  async append(entries: readonly NewEntry[]): Promise<readonly Entry[]> {
    this.#refuseClosed();
    return this.#enqueue(() => this.#write(entries));
  }

  defer(entry: NewEntry): void {
    this.#refuseClosed();
    this.#deferred = [...this.#deferred, this.#timed(entry)];
  }

  foldedWith(entry: NewEntry): Folded {
    return this.#folding.preview(this.#complete([this.#timed(entry)])).view();
  }

  async appendFrom(seq: Seq, entries: readonly NewEntry[]): Promise<readonly Entry[]> {
    this.#refuseClosed();
    return this.#enqueue(async () => {
      const later = this.#folding;
      this.#folding = createFolding(await readFrom(this.journal, seq));
      try {
        return await this.#write(entries);
      } catch (error) {
        this.#folding = later;
        throw error;
      }
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#enqueue(async () => {
      try {
        await this.#write([]);
      } finally {
        await this.journal.close();
      }
    });
    return this.#closing;
  }

  async #write(entries: readonly NewEntry[]): Promise<readonly Entry[]> {
    const before = this.#deferred;
    const full = this.#complete([...before, ...entries.map((entry) => this.#timed(entry))]);
    if (full.length === 0) return [];
    const checkpoint = this.#checkpointFor(full);
    const expectedSeq = this.#folding.end().lastSeq;
    await this.journal.append(full, checkpoint === undefined ? { expectedSeq } : { expectedSeq, checkpoint });
    this.#deferred = this.#deferred.slice(before.length);
    for (const entry of full) this.#folding.apply(entry);
    if (checkpoint !== undefined) this.#folding.trim();
    for (const entry of full) this.#options.onAppend(entry);
    return full.slice(before.length);
  }

  /** Gives entries their place behind the head. */
  #complete(entries: readonly Timed[]): readonly Entry[] {
    let { headId: parentId, lastSeq: seq } = this.#folding.end();
    return entries.map(({ entry, at }) => {
      seq += 1;
      const full = { v: 1, id: this.#options.mintId(), parentId, seq, at, ...entry } as Entry;
      parentId = full.type === 'head' ? full.targetId : full.id;
      return full;
    });
  }

  #checkpointFor(full: readonly Entry[]): Checkpoint | undefined {
    if (!full.some((entry) => checkpointTypes.has(entry.type))) return undefined;
    const preview = this.#folding.preview(full);
    const { visibleFromSeq } = preview.view();
    return { visibleFromSeq, state: preview.stateBefore(visibleFromSeq) };
  }

  #timed(entry: NewEntry): Timed {
    return { entry, at: this.#options.clock.now() };
  }

  #enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    const next = this.#queue.then(work);
    this.#queue = next.catch(() => undefined);
    return next;
  }

  #refuseClosed(): void {
    if (this.#closing === null) return;
    throw new VarveError('VARVE_SESSION_CLOSED', 'The session has been closed.', {
      fix: 'Open it again with host.open.',
    });
  }
}

/** The journal from `seq` on as a tail, with all before it reduced: memory does not grow with what lies before. */
async function readFrom(journal: Journal, seq: Seq): Promise<{ checkpoint: Checkpoint; entries: readonly Entry[] }> {
  let state: CarriedState = emptyCarriedState;
  const entries: Entry[] = [];
  for await (const entry of journal.read()) {
    if (entry.seq < seq) state = carry(state, entry);
    else entries.push(entry);
  }
  return { checkpoint: { visibleFromSeq: seq, state }, entries };
}
