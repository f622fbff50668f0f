/** The session that all workers work on. */
export const sessionId = 'crash';

/** Where in the file system's operations a worker kills itself. */
export type KillPlace =
  | `${'before' | 'after'} ${'write' | 'sync' | 'rename' | 'truncate' | 'remove' | 'open'}`
  | 'within write';

/** When a worker kills itself: at the n-th time it is at a place. */
export interface SelfKill {
  readonly place: KillPlace;
  /** From 1 on. */
  readonly time: number;
  /** Whether the machine loses its power then: what was not synced is lost, or a part of it. */
  readonly losesPower: boolean;
}

/** A message that was to be stored under a key, and of which nobody knows whether it was. */
export interface PendingMessage {
  readonly op: 'ingest' | 'turn' | 'forget';
  readonly key: string;
  readonly text: string;
}

/** What a worker is told to do: one line of JSON on its standard input. A second line, `go`, lets it go on. */
export interface Job {
  readonly root: string;
  /** Where files are kept that a loss of power may bring back. */
  readonly aside: string;
  /** The file that tools write to. */
  readonly effects: string;
  /** Tells workers apart that go on with the same store. */
  readonly round: number;
  readonly seed: number;
  readonly operations: number;
  readonly selfKill: SelfKill | null;
  /** Messages to give once more, as a host does that got no answer. */
  readonly pending: readonly PendingMessage[];
  /** Whether something is forgotten soon, as files are replaced by that alone. */
  readonly forgetsSoon: boolean;
}

/** What must be found in the journal once an operation has resolved. */
export type Proof =
  | { readonly kind: 'entry'; readonly id: string }
  | { readonly kind: 'answer'; readonly text: string }
  | { readonly kind: 'state'; readonly slot: string; readonly text: string | null }
  | { readonly kind: 'setting'; readonly name: string; readonly value: string }
  | { readonly kind: 'revoke'; readonly targetId: string };

/** What a worker says: one line of JSON each, written before it goes on. */
export type Said =
  /** The store is open; `entries` is what the product reads, `repairs` what it repaired. */
  | {
      readonly say: 'opened';
      readonly entries: readonly string[];
      readonly repairs: readonly string[];
      readonly waits: number;
    }
  /** An append has resolved. Each entry as JSON. */
  | { readonly say: 'appended'; readonly entries: readonly string[] }
  | ({ readonly say: 'begin' } & PendingMessage)
  /** What was given under the key is to be forgotten: from now on it may not be given again. */
  | {
      readonly say: 'forgetting';
      readonly key: string;
      readonly ids: readonly string[];
      readonly texts: readonly string[];
    }
  | { readonly say: 'forgot' }
  /** An operation has resolved. */
  | { readonly say: 'done'; readonly op: string; readonly key: string | null; readonly proofs: readonly Proof[] }
  /** Something went otherwise than it must. */
  | { readonly say: 'problem'; readonly text: string }
  | { readonly say: 'closed' };
