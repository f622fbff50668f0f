import type { Milliseconds, Seq } from '../units.ts';
import type { CarriedState } from './carried-state.ts';
import type { Entry } from './entry.ts';
import type { ForkOrigin, SessionIndex } from './session-record.ts';

/** First line of a journal: which session it belongs to, which generation came before, and what it is a fork of. */
export interface JournalHeader {
  readonly v: 1;
  readonly sessionId: string;
  readonly createdAt: Milliseconds;
  readonly agentId?: string | undefined;
  readonly key?: string | undefined;
  readonly previousSessionId?: string | undefined;
  /** Where the entries up to `seq` were copied from. */
  readonly forkedFrom?: ForkOrigin | undefined;
}

/** Where reading may start, and all that `fold` knows of the entries before. Stored with the entry that made it. */
export interface Checkpoint {
  readonly visibleFromSeq: Seq;
  readonly state: CarriedState;
}

/** The end of a journal, from the newest checkpoint on; from the first entry when there is none. */
export interface Tail {
  readonly checkpoint: Checkpoint | null;
  /** Entries from `checkpoint.visibleFromSeq` to the last, in order. */
  readonly entries: readonly Entry[];
}

/** Conditions of an append. */
export interface AppendOptions {
  /** The seq of the journal's last queued entry; 0 for an empty one. Otherwise `VARVE_STORE_CONFLICT`. */
  readonly expectedSeq: Seq;
  /**
   * Of the lease that the append is made under. One that is lower than that of an append before is refused with
   * `VARVE_LEASE_LOST`, also when that one brought no entries; an append without a fence never is. @default none
   */
  readonly fence?: number | undefined;
  /** Stored with the last of the entries. */
  readonly checkpoint?: Checkpoint | undefined;
}

/** Entries that were appended together, with the checkpoint that came with them. */
export interface JournalBatch {
  readonly entries: readonly Entry[];
  readonly checkpoint?: Checkpoint | undefined;
}

/** The append-only lines of one session. A store knows no entry types. */
export interface Journal {
  readonly header: JournalHeader;
  /**
   * Appends all entries or none; durable, as far as the store promises it, when it resolves.
   *
   * @throws VARVE_STORE_CONFLICT  when `expectedSeq` is not the last seq; VARVE_LEASE_LOST when the fence is lower than
   *   one before; VARVE_STORE_IO when the disk refuses.
   */
  append(entries: readonly Entry[], options: AppendOptions): Promise<{ readonly seq: Seq }>;
  /** Reads from the newest checkpoint on, in time and memory that do not depend on what lies before it. */
  tail(): Promise<Tail>;
  /** Streams the entries of a range, both ends included, in order. @default fromSeq 1, toSeq the last */
  read(range?: { readonly fromSeq?: Seq; readonly toSeq?: Seq }): AsyncIterable<Entry>;
  /** Reads single entries by seq or id, in the order asked for; unknown ones are left out. */
  get(seqsOrIds: readonly (Seq | string)[]): Promise<readonly Entry[]>;
  /**
   * Puts a whole new journal in the place of this one: the same seqs with other content. Nothing of the old one is kept,
   * and a crash leaves one or the other. The one exception to "never changed": core calls it to forget. Who else has
   * opened the journal for writing gets `VARVE_STORE_CONFLICT` from now on, until it has read the tail.
   *
   * @throws VARVE_STORE_CONFLICT  when `expectedSeq` is not the last seq, or `batches` do not give seqs 1 to it.
   */
  replace(batches: AsyncIterable<JournalBatch>, options: { readonly expectedSeq: Seq }): Promise<void>;
  /** Releases what the journal holds. Idempotent. */
  close(): Promise<void>;
}

/** How much room a journal takes in its store. */
export interface PackedSize {
  /** Bytes now that it is packed. */
  readonly bytes: number;
  /** Bytes of the journal as it was. */
  readonly journalBytes: number;
}

/** Puts journals away that nobody writes to any more. What is packed is read as before, and listed. */
export interface JournalArchives {
  /** The ids of all sessions whose journals are packed, in any order, with few requests however many there are. */
  list(): Promise<readonly string[]>;
  /**
   * Packs a journal. At every moment it is whole in one form or the other. Whoever opens it for writing unpacks it first,
   * by doing so; of one that is packed already only the sizes are given.
   *
   * @throws VARVE_STORE_MISSING, VARVE_STORE_LOCKED when somebody writes to it, VARVE_STORE_IO, VARVE_STORE_CONFLICT
   */
  pack(sessionId: string): Promise<PackedSize>;
  /** Makes a journal again what it was. Nothing happens to one that is not packed. @throws as `pack` does */
  unpack(sessionId: string): Promise<void>;
}

/** Keeps journals. Passed to `createHost`; three ship: memory, `@varve/stores/jsonl` and `@varve/stores/postgres`. */
export interface Store extends AsyncDisposable {
  /** What is known of the sessions without opening their journals. */
  readonly sessions: SessionIndex;
  /**
   * What callers may rely on beyond the contract. `archives`: a journal that is packed takes less room (`compressed`), or
   * is only marked; without, the store packs none.
   */
  readonly supports: {
    readonly multiProcess: 'no' | 'by-session' | 'full';
    readonly archives?: 'compressed' | 'marked' | undefined;
  };
  /** Puts journals away. There where `supports.archives` is. */
  readonly archives?: JournalArchives | undefined;
  /**
   * Deletes a journal, packed or not, and the record of its session, for good. Not what somebody works with: where one
   * process at a time writes to a journal, whoever has it open for writing; where several do, the host whose lease in the
   * record still holds. A writer without a lease finds `VARVE_STORE_MISSING` with its next append.
   *
   * @throws VARVE_STORE_CONFLICT  when the record's `rev` is another (0 for none); VARVE_STORE_MISSING when there is
   *   neither; VARVE_STORE_LOCKED when somebody works with it; VARVE_STORE_IO
   * @default the store deletes nothing, and whoever is asked to delete says so
   */
  remove?(sessionId: string, options: { readonly expectedRev: number }): Promise<void>;
  /**
   * Opens a session's journal. With `create`, one that does not exist is begun with that header.
   *
   * @throws VARVE_STORE_MISSING  without `create`, when there is none; VARVE_STORE_LOCKED when another process writes.
   */
  open(sessionId: string, options?: { readonly create?: JournalHeader; readonly readOnly?: boolean }): Promise<Journal>;
  /**
   * Calls back with the seq of the last entry when the journal of a session has grown, whoever appended to it; it may do so
   * late, and also when nothing has changed. Gives what ends it. Neither throws. Sessions use it to tell those who follow
   * them what other processes store. @default they learn of it when they next read the journal themselves
   */
  watch?(sessionId: string, onGrown: (lastSeq: Seq) => void): () => void;
}
