import { messageOfError, VarveError } from '../../errors.ts';
import { countEntry } from '../../journal/count-entry.ts';
import type { Entry } from '../../journal/entry.ts';
import { patchRecord } from '../../journal/patch-record.ts';
import {
  emptyCounters,
  type SessionCounters,
  type SessionIndex,
  type SessionLease,
  type SessionPatch,
  type SessionRecord,
} from '../../journal/session-record.ts';
import type { Journal } from '../../journal/store.ts';
import { namesOfKey } from '../../key/names-of-key.ts';
import type { Milliseconds, Seq } from '../../units.ts';
import type { ForgottenText } from '../forget/forgotten-text.ts';
import { areSoundCounters, usableFields } from './sound-record.ts';

/**
 * Entries after which a record is written while its session is open, and at the end of each turn. Counting entries needs
 * no timer and is the same in every run; nothing is lost by being late, since opening applies what came after `countedSeq`, and the host that has
 * the session open lists it as it is.
 */
const entriesBetweenWrites = 32;

/** How often a change that lost a race is made again: several hosts may want the same at once. */
const retries = 32;

/** What a host says of a session beyond its journal. */
export interface SessionNames {
  readonly key?: string | undefined;
  /** @default what the key says, else 'main' */
  readonly agentId?: string | undefined;
  /** Where the conversation takes place. @default what the key says, else null */
  readonly channel?: string | undefined;
  /** @default what the key says, else null */
  readonly chatType?: 'direct' | 'group' | 'channel' | undefined;
  /** One name for the person behind the conversation, the same in every channel; `null` takes it back. @default null */
  readonly identity?: string | null | undefined;
  /** Key of the session that began this one: a sub-agent's parent. */
  readonly parentSessionKey?: string | undefined;
  readonly label?: string | undefined;
  readonly displayName?: string | undefined;
}

/** What a host may change of a record, whoever has the session open. */
export type PatchableRecord = Pick<SessionPatch, 'state' | 'label' | 'displayName' | 'currentSince'>;

/** Keeps the record of an open session. But for {@link SessionRecordKeeper.patch}, {@link SessionRecordKeeper.changeLease} and {@link SessionRecordKeeper.blankNames}, never throws: what cannot be stored is told, and tried again later. */
export interface SessionRecordKeeper {
  /** The record as it is now, whether or not it is stored yet. */
  current(): SessionRecord;
  /**
   * Told what is said of a session that is open already. Who takes part decides what plugins may show: where two say
   * different things, it is nobody in particular, and a group.
   */
  narrow(names: SessionNames): void;
  /**
   * Changes what a host may change of a record, and stores it. What is patched is the store's from then on: it is not
   * written again over what somebody else says later. Throws what the store throws; the record is as it was then.
   */
  patch(changes: PatchableRecord): Promise<SessionRecord>;
  /**
   * Changes the lease of the session as it stands in the store now; `null` for no change. Gives the one that holds then.
   * Throws what the store throws.
   */
  changeLease(next: (known: SessionLease | null) => SessionLease | null): Promise<SessionLease | null>;
  /** Counts an entry that is durable. */
  count(entry: Entry): void;
  /** Stores what is not stored yet, beside what goes on: who lists the sessions elsewhere sees what a turn has come to. */
  keepUp(): void;
  /** Counts what the journal holds beyond what was counted. */
  catchUp(): Promise<void>;
  /**
   * Takes back label and display name where they quote something that is being forgotten. Throws
   * what the store throws, when they could not be taken back; they are as they were then.
   */
  blankNames(text: ForgottenText): Promise<void>;
  /** Stores what is not stored yet; called before the journal is closed. */
  finish(): Promise<void>;
}

/** What a record is kept with. */
export interface KeepRecordOptions {
  readonly index: SessionIndex;
  /** The record as the index has it. */
  readonly found: Promise<SessionRecord | null>;
  readonly names: SessionNames;
  /** Seq of the journal's last entry. */
  readonly lastSeq: Seq;
  /** Looks at the record, and never stores it. */
  readonly readOnly: boolean;
  now(): Milliseconds;
  /** Told when a record could not be read or stored. */
  warn(text: string): void;
}

type NamesToStore = Partial<Omit<SessionRecord, 'sessionId' | 'rev' | 'counters' | 'updatedAt'>>;

/** Reads the record of a session, brings it up to date, and makes it when there is none or it cannot be used. */
export async function keepSessionRecord(journal: Journal, options: KeepRecordOptions): Promise<SessionRecordKeeper> {
  const keeper = new RecordKeeper(journal, options);
  await keeper.begin();
  return keeper;
}

class RecordKeeper implements SessionRecordKeeper {
  readonly #journal: Journal;
  readonly #options: KeepRecordOptions;
  /** The record as it was last read or written; `null` when there is none, or none that can be used. */
  #stored: SessionRecord | null = null;
  /** True while the store holds a record that is not sound: it is written whole then. */
  #isDamaged = false;
  /** Revision in the store, also of a record that cannot be used. */
  #rev = 0;
  #counters: SessionCounters = emptyCounters;
  #updatedAt: Milliseconds;
  /** What the record is to say beside the counters. */
  #names: NamesToStore;
  /** What its key says of a session of which nothing is stored yet. */
  readonly #ofKey: SessionPatch;
  #notWritten = 0;
  /** True when entries of somebody else lie between what was counted and what is appended here. */
  #isBehind = false;
  #queue: Promise<void> = Promise.resolve();

  constructor(journal: Journal, options: KeepRecordOptions) {
    this.#journal = journal;
    this.#options = options;
    this.#updatedAt = journal.header.createdAt;
    this.#names = namesOf(journal, options.names);
    this.#ofKey = namesOfKey(this.#names.key ?? null);
  }

  async begin(): Promise<void> {
    await this.#enqueue(() => this.#readStored(this.#options.found));
    const { lastSeq } = this.#options;
    const counters = this.#stored?.counters ?? emptyCounters;
    const fits = counters.countedSeq <= lastSeq;
    this.#counters = fits ? counters : emptyCounters;
    if (this.#counters.countedSeq < lastSeq) await this.catchUp();
    const isDue = !fits || this.#isDamaged || this.#stored === null || this.#notWritten >= entriesBetweenWrites;
    if (isDue || this.#newNames() !== null) await this.#enqueue(() => this.#write({ isAnew: !fits }));
    else this.#leaveToStore();
  }

  current(): SessionRecord {
    const { sessionId } = this.#journal.header;
    const base = this.#stored ?? patchRecord(null, this.#ofKey, { sessionId, expectedRev: 0 });
    return { ...base, ...this.#names, counters: this.#counters, updatedAt: this.#updatedAt, rev: this.#rev };
  }

  narrow({ identity, chatType }: SessionNames): void {
    const now = this.current();
    const narrower = {
      ...(identity === undefined || identity === now.identity ? {} : { identity: null }),
      ...(chatType === undefined || chatType === now.chatType ? {} : { chatType: 'group' as const }),
    };
    if (Object.keys(narrower).length === 0) return;
    this.#names = { ...this.#names, ...narrower };
    void this.#enqueue(() => this.#write());
  }

  patch(changes: PatchableRecord): Promise<SessionRecord> {
    return this.#inOrder(async () => {
      const before = this.#names;
      const given = Object.entries(changes).filter(([, value]) => value !== undefined);
      this.#names = { ...before, ...Object.fromEntries(given) };
      try {
        await this.#write();
      } catch (error) {
        this.#names = before;
        throw error;
      }
      return this.current();
    });
  }

  changeLease(next: (known: SessionLease | null) => SessionLease | null): Promise<SessionLease | null> {
    return this.#inOrder(async () => {
      const { sessionId } = this.#journal.header;
      for (let tried = 0; ; tried += 1) {
        await this.#readStored();
        if (this.#stored === null || this.#isDamaged) await this.#write();
        const known = this.#stored?.lease ?? null;
        const lease = next(known);
        if (lease === null) return known;
        try {
          this.#stored = await this.#options.index.put(sessionId, { lease }, { expectedRev: this.#rev });
          this.#rev = this.#stored.rev;
          return lease;
        } catch (error) {
          if (!VarveError.is(error, 'VARVE_STORE_CONFLICT') || tried >= retries) throw error;
        }
      }
    });
  }

  count(entry: Entry): void {
    if (entry.seq > this.#counters.countedSeq + 1) {
      if (!this.#isBehind) void this.catchUp();
      this.#isBehind = true;
    } else this.#add(entry);
    if (this.#notWritten < entriesBetweenWrites) return;
    this.#notWritten = 0;
    void this.#enqueue(() => this.#write());
  }

  catchUp(): Promise<void> {
    return this.#enqueue(async () => {
      this.#isBehind = false;
      for await (const entry of this.#journal.read({ fromSeq: this.#counters.countedSeq + 1 })) this.#add(entry);
    });
  }

  blankNames(text: ForgottenText): Promise<void> {
    return this.#inOrder(async () => {
      // What could not be read may hold names that nobody here knows of.
      if (this.#stored === null) await this.#readStored();
      const before = this.#names;
      const quotes = (name: unknown): boolean => typeof name === 'string' && text.quotes(name);
      const now = this.current();
      const quoting = (['label', 'displayName'] as const).filter((name) => quotes(now[name]));
      const isStored = [this.#stored?.label, this.#stored?.displayName].some(quotes);
      if (quoting.length === 0 && !isStored) return;
      this.#names = { ...before, ...Object.fromEntries(quoting.map((name) => [name, null])) };
      try {
        await this.#write();
      } catch (error) {
        this.#names = before;
        throw error;
      }
    });
  }

  keepUp(): void {
    void this.#enqueue(() => this.#write());
  }

  async finish(): Promise<void> {
    if (this.#isBehind) await this.catchUp();
    await this.#enqueue(() => this.#write());
  }

  #add(entry: Entry): void {
    if (entry.seq <= this.#counters.countedSeq) return;
    this.#counters = countEntry(this.#counters, entry);
    this.#updatedAt = Math.max(this.#updatedAt, entry.at);
    this.#notWritten += 1;
  }

  async #readStored(asked = this.#options.index.get(this.#journal.header.sessionId)): Promise<void> {
    const found = await asked;
    this.#rev = Number.isInteger(found?.rev) ? Number(found?.rev) : 0;
    this.#isDamaged = found !== null && !areSoundCounters(found.counters);
    this.#stored = found !== null && this.#isDamaged ? this.#repaired(found) : found;
    this.#updatedAt = Math.max(this.#updatedAt, this.#stored?.updatedAt ?? 0);
  }

  #repaired(found: Partial<SessionRecord>): SessionRecord {
    const { createdAt, sessionId } = this.#journal.header;
    const patch = { createdAt, ...usableFields(found) };
    return { ...patchRecord(null, patch, { sessionId, expectedRev: 0 }), rev: this.#rev };
  }

  /** Stores the record. Somebody else's change that came first is kept, and this one is made on top of it. */
  async #write({ isAnew = false }: { readonly isAnew?: boolean } = {}): Promise<void> {
    if (this.#options.readOnly) return;
    if (isAnew || this.#isUnwritten()) await this.#putUntilStored();
    this.#leaveToStore();
  }

  /** What a host may patch is said once: what is patched later, here or elsewhere, is not written over. */
  #leaveToStore(): void {
    if (this.#options.readOnly) return;
    const { state: _state, label: _label, displayName: _displayName, currentSince: _since, ...own } = this.#names;
    this.#names = own;
  }

  async #putUntilStored(): Promise<void> {
    for (let tried = 0; ; tried += 1) {
      try {
        await this.#put();
        return;
      } catch (error) {
        if (!VarveError.is(error, 'VARVE_STORE_CONFLICT') || tried >= retries) throw error;
        await this.#readStored();
        // Both count the same journal: the record of somebody who has read further says more than this one.
        const others = this.#stored?.counters ?? emptyCounters;
        if (others.countedSeq > this.#counters.countedSeq) this.#counters = others;
        if (!this.#isUnwritten()) return;
      }
    }
  }

  async #put(): Promise<void> {
    const { rev: expectedRev, sessionId, ...whole } = this.current();
    const names = this.#newNames();
    if (this.#stored !== null && names !== null) this.#updatedAt = Math.max(this.#updatedAt, this.#options.now());
    const updatedAt = this.#updatedAt;
    const { counters } = whole;
    const patch = this.#stored === null || this.#isDamaged ? whole : { ...names, counters };
    this.#stored = await this.#options.index.put(sessionId, { ...patch, updatedAt }, { expectedRev });
    this.#rev = this.#stored.rev;
    this.#isDamaged = false;
    this.#notWritten = 0;
  }

  #isUnwritten(): boolean {
    if (this.#stored === null || this.#isDamaged || this.#newNames() !== null) return true;
    return this.#stored.counters.countedSeq < this.#counters.countedSeq || this.#stored.updatedAt < this.#updatedAt;
  }

  /** What the record is to say and does not say in the store; `null` for nothing. */
  #newNames(): SessionPatch | null {
    const stored = this.#stored;
    const isNew = ([name, value]: readonly [string, unknown]): boolean =>
      !isSame(stored?.[name as keyof SessionRecord], value);
    const changed = Object.entries(this.#names).filter(isNew);
    return changed.length === 0 ? null : Object.fromEntries(changed);
  }

  /** One thing after the other; a failure is told and ends there. */
  #enqueue(work: () => Promise<void>): Promise<void> {
    return this.#inOrder(() =>
      work().catch((error: unknown) => {
        this.#options.warn(`The record of the session could not be kept: ${messageOfError(error)}`);
      }),
    );
  }

  /** One thing after the other; a failure is the caller's. */
  #inOrder<Result>(work: () => Promise<Result>): Promise<Result> {
    const next = this.#queue.then(work);
    this.#queue = next.then(
      () => undefined,
      () => undefined,
    );
    return next;
  }
}

/** What the header says comes first: it is never changed. What nobody says stays as it is in the store. */
function namesOf({ header }: Journal, names: SessionNames): NamesToStore {
  const { key = names.key, agentId = names.agentId, createdAt, previousSessionId, forkedFrom } = header;
  const ofHeader = { key, agentId, createdAt, previousSessionId, forkedFrom };
  const said = Object.entries({ ...names, ...ofHeader }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(said);
}

/** Values of JSON: the only ones that are no plain ones are those of {@link ForkOrigin}, always made in one order. */
function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
