import type { Milliseconds, Seq, Tokens, Ulid } from '../units.ts';

/** What has happened in a session so far, up to and including the entry `countedSeq`. Opening applies the entries after it. */
export interface SessionCounters {
  /** Seq of the last entry that is counted; 0 for none. */
  readonly countedSeq: Seq;
  /** Messages of every role. */
  readonly messages: number;
  /** Messages with provenance `user`. */
  readonly userMessages: number;
  /** When the last message with provenance `user` came; `null` for none. */
  readonly lastUserAt: Milliseconds | null;
  /** Prompts that were made. */
  readonly requests: number;
  readonly compactions: number;
  /** Size of the last prompt; 0 before the first. */
  readonly totalTokens: Tokens;
  /** Sums of what providers reported for this session. */
  readonly spent: {
    readonly inputTokens: Tokens;
    readonly outputTokens: Tokens;
    readonly cacheReadTokens: Tokens;
    readonly cacheWriteTokens: Tokens;
  };
}

/** Nothing counted yet. */
export const emptyCounters: SessionCounters = {
  countedSeq: 0,
  messages: 0,
  userMessages: 0,
  lastUserAt: null,
  requests: 0,
  compactions: 0,
  totalTokens: 0,
  spent: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
};

/** The entry that the beginning of a fork leads to, in the session that it was copied from. */
export interface ForkOrigin {
  readonly sessionId: string;
  /** The last entry that was copied; it has the same id and seq in the fork. `null` for a fork of a session without any. */
  readonly entryId: Ulid | null;
  /** Its seq; 0 for none. A journal that ends before it is a fork that was not finished. */
  readonly seq: Seq;
}

/** The right to take the turns of a session, where several hosts use one store. */
export interface SessionLease {
  /** The host that has it, for people. */
  readonly owner: string;
  /** It has ended by then, unless it is renewed; 0 for one that was given back. */
  readonly untilAt: Milliseconds;
  /** Higher than that of every lease before: see {@link AppendOptions.fence}. */
  readonly fence: number;
}

/** What a store knows of a session without opening its journal. JSON only. */
export interface SessionRecord {
  readonly sessionId: string;
  /** Grows by one with each change; 1 for a new record. */
  readonly rev: number;
  /** @default 'main' */
  readonly agentId: string;
  /** The host's own name for the conversation. */
  readonly key: string | null;
  readonly state: 'open' | 'archived';
  readonly channel: string | null;
  readonly chatType: 'direct' | 'group' | 'channel' | null;
  /** One name for the person behind the conversation, whichever channel it comes from; `null` when nobody said. */
  readonly identity: string | null;
  /** Key of the session that began this one: a sub-agent's parent. */
  readonly parentSessionKey: string | null;
  readonly label: string | null;
  readonly displayName: string | null;
  /**
   * Since when this generation is the current one of its key: of all open records of a key, the one with the greatest is.
   * `null` for one that never was, and for a session without generations. Changed by {@link SessionRecords.patch} alone.
   */
  readonly currentSince: Milliseconds | null;
  /** The generation of the key before this one, as the journal's header says; `null` for none. */
  readonly previousSessionId: string | null;
  /** Where the first entries were copied from, as the journal's header says; `null` for a session that is no fork. */
  readonly forkedFrom: ForkOrigin | null;
  /** The turn of a host that shares the store with others; `null` before the first. Only where `multiProcess` is `full`. */
  readonly lease: SessionLease | null;
  readonly createdAt: Milliseconds;
  /** Time of the last counted entry, or of the last change of the record itself. */
  readonly updatedAt: Milliseconds;
  readonly counters: SessionCounters;
}

/** Fields of a record to be changed. What is left out, or `undefined`, stays as it is. */
export type SessionPatch = {
  readonly [Field in keyof Omit<SessionRecord, 'sessionId' | 'rev'>]?: SessionRecord[Field] | undefined;
};

/** Which records to list. All that are given must hold. */
export interface SessionQuery {
  readonly agentId?: string | undefined;
  /** The whole key, letter by letter. */
  readonly key?: string | undefined;
  readonly channel?: string | undefined;
  readonly chatType?: SessionRecord['chatType'] | undefined;
  readonly state?: SessionRecord['state'] | undefined;
  readonly parentSessionKey?: string | undefined;
  /** Found in session id, key, label or display name, whatever the case of its letters. */
  readonly text?: string | undefined;
  /** Most records in the answer. @default 100 (`defaultSessions`), at most 1 000 (`mostSessions`) */
  readonly limit?: number | undefined;
  /** The last record of the page before. @default the first page */
  readonly after?: Pick<SessionRecord, 'updatedAt' | 'sessionId'> | undefined;
}

/** The records of a store's sessions. Kept beside the journals and never more true than they are. */
export interface SessionIndex {
  get(sessionId: string): Promise<SessionRecord | null>;
  /**
   * Changes a record, or makes it (`expectedRev: 0`; what the patch leaves out gets its default). Durable as far as the
   * store promises it when it resolves. A name that is set to `null` is gone from the store by then.
   *
   * @throws VARVE_STORE_CONFLICT  when the record's `rev` is another; VARVE_STORE_IO when the disk refuses, or when a
   *   name that is taken back cannot be removed: the record may have changed by then.
   */
  put(sessionId: string, patch: SessionPatch, options: { readonly expectedRev: number }): Promise<SessionRecord>;
  /** A page of records, last updated first; at the same time, by session id. */
  list(query?: SessionQuery): Promise<readonly SessionRecord[]>;
}
