import type { Clock } from '../clock.ts';
import { VarveError } from '../errors.ts';
import type { CarriedState } from '../journal/carried-state.ts';
import { checkpointTypes } from '../journal/checkpoint-types.ts';
import type { Entry, NewEntry, RequestLayer } from '../journal/entry.ts';
import { createFolding, type Folded, type Folding } from '../journal/fold.ts';
import { foldTail } from '../journal/fold-tail.ts';
import type { Checkpoint, Journal, JournalBatch } from '../journal/store.ts';
import { asStored } from '../storable-json.ts';
import type { Seq, Ulid } from '../units.ts';
import { journalFrom } from './journal-from.ts';

/** The journal of one open session and what it means now. The only place that makes entries. */
export interface SessionJournal {
  readonly journal: Journal;
  folded(): Folded;
  /** Seq of the entry on the path to the head that was ingested under a key; `undefined` for a key that is not known. */
  seqOfKey(key: string): Seq | undefined;
  /** Settings, records, keys and the like as they are now; cheaper than {@link folded}. */
  state(): CarriedState;
  /** Layers of the last request; none when it lies before what was read of the journal. */
  requestLayers(): readonly RequestLayer[];
  /** Appends the first entries of a journal that has none; nothing, when somebody else has begun it. */
  begin(entries: readonly NewEntry[]): Promise<void>;
  /** Appends entries, in the order of the calls; they follow the head. Resolves when they are durable. */
  append(entries: readonly NewEntry[], condition?: AppendCondition): Promise<readonly Entry[]>;
  /** Makes an entry that counts from now on, and is stored with, and before, the next append. */
  defer(entry: NewEntry): void;
  /** What the journal would mean with one more entry; nothing is stored. */
  foldedWith(entry: NewEntry): Folded;
  /**
   * Appends an entry that makes earlier ones visible, and reads the journal again from there. `prepare` says which when
   * its turn has come: nothing is appended until it is stored.
   */
  appendFrom(prepare: () => Promise<EarlierAppend>): Promise<Entry>;
  /**
   * Puts a new journal in the place of this one, with the same seqs, and folds it. `make` gives it when its turn has
   * come, or `null` for no change; it is asked again when somebody else appends meanwhile.
   */
  rewrite(make: (journal: Journal) => Promise<AsyncIterable<JournalBatch> | null>): Promise<void>;
  /**
   * Makes all appends ones under a lease, and refuses those of every lease before it; reads what others have stored.
   * When somebody else takes over, `append` throws `VARVE_LEASE_LOST` for what belongs to a turn, and stores what does not.
   */
  hold(fence: number): Promise<void>;
  /** Makes appends ones under no lease again. */
  release(): void;
  /** Stores what was deferred and lets go of the journal. */
  close(): Promise<void>;
}

/** An entry to append, and the first one that is needed once it is there. */
interface EarlierAppend {
  readonly fromSeq: Seq;
  readonly entry: NewEntry;
}

/** Throws when what is to be appended no longer fits; asked when its turn has come, with nothing in between. */
type AppendCondition = () => void;

/** Opens the journal of a session: reads its tail and folds it. */
export async function openSessionJournal(journal: Journal, options: SessionJournalOptions): Promise<SessionJournal> {
  try {
    const { folding, isWhole } = await foldTail(journal);
    if (isWhole) options.warn(wholeJournalText);
    return new OpenSessionJournal(journal, { ...options, folding });
  } catch (error) {
    await journal.close();
    throw error;
  }
}

/** Where a session journal gets time and ids from, and who is told of its entries. */
export interface SessionJournalOptions {
  readonly clock: Clock;
  readonly mintId: () => Ulid;
  /** Called for each entry once it is durable. */
  readonly onAppend: (entry: Entry) => void;
  /** Told what is not as it should be. */
  readonly warn: (text: string) => void;
  /** Called when all is stored and the journal can still be read. */
  readonly beforeClose: () => Promise<void>;
}

/** What a host is told when a checkpoint could not be used. */
export const wholeJournalText: string =
  'The newest checkpoint was written by another version of Varve: the whole journal was read in its place.';

/** How often what rests on a whole journal is made again when somebody else appends meanwhile. */
const retries = 3;

/** How often an append, or holding the journal, is tried again while others append: several hosts may want to at once. */
const appendRetries = 32;

class OpenSessionJournal implements SessionJournal {
  readonly journal: Journal;
  readonly #options: SessionJournalOptions;
  #folding: Folding;
  /** Entries that are folded but not stored yet. */
  #deferred: readonly Entry[] = [];
  /** Deferred while a write was under way: they get their place behind it. */
  #late: readonly NewEntry[] = [];
  #isWriting = false;
  #durableSeq: Seq;
  /** Of the lease under which is appended; `null` for none. */
  #fence: number | null = null;
  #queue: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | null = null;

  constructor(journal: Journal, options: SessionJournalOptions & { readonly folding: Folding }) {
    this.journal = journal;
    this.#options = options;
    this.#folding = options.folding;
    this.#durableSeq = options.folding.end().lastSeq;
  }

  folded(): Folded {
    return this.#folding.view();
  }

  state(): CarriedState {
    return this.#folding.state();
  }

  requestLayers(): readonly RequestLayer[] {
    return this.#folding.requestLayers();
  }

  seqOfKey(key: string): Seq | undefined {
    return this.#folding.seqOfKey(key);
  }

  async begin(entries: readonly NewEntry[]): Promise<void> {
    return this.#enqueue(async () => {
      if (this.#durableSeq > 0) return;
      try {
        await this.#writeOnce(entries);
      } catch (error) {
        if (!VarveError.is(error, 'VARVE_STORE_CONFLICT')) throw error;
        await this.#readAgain();
      }
    });
  }

  async append(entries: readonly NewEntry[], condition: AppendCondition = () => undefined): Promise<readonly Entry[]> {
    this.#refuseClosed();
    return this.#enqueue(async () => {
      condition();
      return this.#writeUntilStored(entries);
    });
  }

  defer(entry: NewEntry): void {
    this.#refuseClosed();
    const made = { at: this.#options.clock.now(), ...entry };
    if (this.#isWriting) this.#late = [...this.#late, made];
    else this.#place(made);
  }

  foldedWith(entry: NewEntry): Folded {
    return this.#folding.preview(this.#complete([entry])).view();
  }

  async appendFrom(prepare: () => Promise<EarlierAppend>): Promise<Entry> {
    this.#refuseClosed();
    return this.#enqueue(async () => {
      await this.#writeUntilStored([]);
      const { fromSeq, entry } = await prepare();
      const later = this.#folding;
      const headSeq = entry.type === 'head' ? entry.targetSeq : Infinity;
      this.#folding = createFolding(await journalFrom(this.journal, { seq: fromSeq, headSeq }));
      try {
        const [stored] = await this.#writeUntilStored([entry]);
        return stored as Entry;
      } catch (error) {
        // After a conflict the journal has been read again already, with what somebody else has appended.
        if (!VarveError.is(error, 'VARVE_STORE_CONFLICT')) this.#folding = later;
        throw error;
      }
    });
  }

  async hold(fence: number): Promise<void> {
    this.#refuseClosed();
    return this.#enqueue(async () => {
      for (let tried = 0; ; tried += 1) {
        try {
          await this.journal.append([], { expectedSeq: this.#durableSeq, fence });
          this.#fence = fence;
          return;
        } catch (error) {
          if (!VarveError.is(error, 'VARVE_STORE_CONFLICT') || tried >= appendRetries) throw error;
          await this.#readAgain();
        }
      }
    });
  }

  release(): void {
    this.#fence = null;
  }

  close(): Promise<void> {
    this.#closing ??= this.#enqueue(async () => {
      try {
        await this.#writeUntilStored([]);
      } finally {
        await this.#options.beforeClose().finally(() => this.journal.close());
      }
    });
    return this.#closing;
  }

  async rewrite(make: (journal: Journal) => Promise<AsyncIterable<JournalBatch> | null>): Promise<void> {
    this.#refuseClosed();
    return this.#enqueue(async () => {
      for (let tried = 0; ; tried += 1) {
        await this.#writeUntilStored([]);
        const batches = await make(this.journal);
        if (batches === null) return;
        try {
          await this.journal.replace(batches, { expectedSeq: this.#durableSeq });
          return await this.#readAgain();
        } catch (error) {
          if (!VarveError.is(error, 'VARVE_STORE_CONFLICT') || tried >= retries) throw error;
          await this.#readAgain();
        }
      }
    });
  }

  async #writeUntilStored(entries: readonly NewEntry[]): Promise<readonly Entry[]> {
    for (let tried = 0; ; tried += 1) {
      try {
        return await this.#writeOnce(entries.filter((entry) => !this.#isKnown(entry)));
      } catch (error) {
        const isLost = VarveError.is(error, 'VARVE_LEASE_LOST');
        if (!isLost && !VarveError.is(error, 'VARVE_STORE_CONFLICT')) throw error;
        await this.#readAgain();
        if (isLost) {
          this.#fence = null;
          // What a host stores beside its turns is stored whoever takes them.
          if (entries.some((entry) => isOfTurn(entry) || checkpointTypes.has(entry.type))) throw error;
          continue;
        }
        // What a compaction or undo rests on may have changed: only who asked for it can say whether it still stands.
        if (tried >= appendRetries || entries.some((entry) => checkpointTypes.has(entry.type))) throw error;
      }
    }
  }

  /** True for a message whose key somebody else has stored meanwhile. */
  #isKnown(entry: NewEntry): boolean {
    return entry.type === 'message' && entry.key !== undefined && this.#folding.seqOfKey(entry.key) !== undefined;
  }

  async #writeOnce(entries: readonly NewEntry[]): Promise<readonly Entry[]> {
    const before = this.#deferred;
    const full = this.#complete(entries);
    if (before.length + full.length === 0) return [];
    const checkpoint = this.#checkpointFor(full);
    const expectedSeq = this.#durableSeq;
    await this.journal.append([...before, ...full], {
      expectedSeq,
      ...(checkpoint === undefined ? {} : { checkpoint }),
      ...(this.#fence === null ? {} : { fence: this.#fence }),
    });
    this.#durableSeq = full.at(-1)?.seq ?? before.at(-1)?.seq ?? expectedSeq;
    this.#deferred = [];
    for (const entry of full) this.#folding.apply(entry);
    if (checkpoint !== undefined) this.#folding.trim();
    for (const entry of [...before, ...full]) this.#options.onAppend(entry);
    return full;
  }

  /** Gives an entry its place at once; it is stored later. */
  #place(entry: NewEntry): void {
    for (const full of this.#complete([entry])) {
      this.#folding.apply(full);
      this.#deferred = [...this.#deferred, full];
    }
  }

  /** Folds the journal as somebody else left it; what was deferred gets its place behind that. */
  async #readAgain(): Promise<void> {
    const { tail, folding } = await foldTail(this.journal);
    const stored = new Set(tail.entries.map((entry) => entry.id));
    const deferred = this.#deferred.filter((entry) => !stored.has(entry.id));
    this.#folding = folding;
    this.#durableSeq = this.#folding.end().lastSeq;
    this.#deferred = [];
    for (const entry of deferred) this.#place(asNew(entry));
  }

  /** Gives entries their place behind the head. What is folded is what will be read: JSON, and nobody else's object. */
  #complete(entries: readonly NewEntry[]): readonly Entry[] {
    let { headId: parentId, lastSeq: seq } = this.#folding.end();
    return entries.map((entry) => {
      seq += 1;
      const base = { v: 1, id: this.#options.mintId(), parentId, seq, at: this.#options.clock.now() };
      const full = asStored({ ...base, ...entry } as Entry);
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

  /** Runs writes one after the other. What is deferred meanwhile gets its place when the write is over. */
  #enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    const next = this.#queue.then(async () => {
      this.#isWriting = true;
      try {
        return await work();
      } finally {
        this.#isWriting = false;
        const late = this.#late;
        this.#late = [];
        for (const entry of late) this.#place(entry);
      }
    });
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

/** What only who takes the turns of a session may append, beside what changes where reading starts. */
function isOfTurn(entry: NewEntry): boolean {
  return entry.type === 'edit' || (entry.type === 'message' && entry.turnId !== undefined);
}

/** An entry without its place, but with the time when it was made. */
function asNew({ v: _v, id: _id, parentId: _parentId, seq: _seq, ...entry }: Entry): NewEntry {
  return entry as NewEntry;
}
