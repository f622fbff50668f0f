import type { JsonValue } from '../json-value.ts';
import type { Message, Provenance, Usage } from '../message.ts';
import type { Milliseconds, Seq, Tokens, Ulid } from '../units.ts';

/** What every journal line has. Lines are appended, never changed and never removed. */
export interface EntryBase {
  /** Version of the entry format. */
  readonly v: 1;
  readonly id: Ulid;
  /** The entry that this one follows; `null` for the first. Together they form a tree. */
  readonly parentId: Ulid | null;
  readonly seq: Seq;
  /** When the entry was made, by the host's clock. */
  readonly at: Milliseconds;
}

/** Names another entry: the id is for programs, the seq for prompts and people. */
export interface EntryRef {
  readonly id: Ulid;
  readonly seq: Seq;
}

/** One message of the conversation, counted once, when it was appended. */
export interface MessageEntry extends EntryBase {
  readonly type: 'message';
  readonly message: Message;
  readonly provenance: Provenance;
  /** Size of the message and the id of the counter that measured it. */
  readonly tokens: { readonly n: Tokens; readonly by: string };
  readonly usage?: Usage | undefined;
  /** The turn that stored it; none for a message that a host ingested by itself. */
  readonly turnId?: string | undefined;
  /** For an answer of a turn: the last entry that its prompt knew. What came between stands behind the answer. */
  readonly promptSeq?: Seq | undefined;
  /** The host's own id of the message: it is not appended again as long as the entry is on the path to the head. */
  readonly key?: string | undefined;
  /** Set when what the message said was forgotten: when, and why. Of the message only its shape is left. */
  readonly forgotten?: { readonly at: Milliseconds; readonly reason: string } | undefined;
}

/** A part of an entry that is shown with another text. `part` is its index in the message. @default 0 */
export interface Edit {
  readonly entryId: Ulid;
  readonly seq: Seq;
  readonly part?: number | undefined;
  readonly rule: string;
  readonly text: string;
  /** How the entry's verdict reads. @default 'edited' */
  readonly verdict?: 'edited' | 'cleared' | 'parked' | undefined;
}

/** An edit with who made it: a plugin's name, or `core`. */
export interface AppliedEdit extends Edit {
  readonly by: string;
}

/** One line of the user, in the user's own words, as the user log of a digest keeps it. */
export interface UserLogLine {
  readonly seq: Seq;
  readonly text: string;
}

/** Something that an agent must be able to repeat exactly, with how often and how recently it was used. */
export interface LedgerFact {
  readonly kind: string;
  readonly text: string;
  readonly label?: string | undefined;
  readonly firstSeq: Seq;
  readonly lastSeq: Seq;
  readonly uses: number;
  /** Who said it with the greatest weight: the user over the assistant over a tool. */
  readonly by: 'user' | 'assistant' | 'tool';
  /** User or assistant said in words that something is this: `the port is 5433`. @default not */
  readonly stated?: true | undefined;
}

/** What core keeps of the entries that a compaction covers, without any model. */
export interface Digest {
  /** The first request of the conversation. */
  readonly task: UserLogLine | null;
  /** The user's lines, oldest first. */
  readonly userLog: readonly UserLogLine[];
  /** At most 2 000 facts, oldest use first. */
  readonly ledger: readonly LedgerFact[];
  /** How much of the digest a prompt shows, fixed when it was made so that its bytes never move. */
  readonly shares: { readonly userLogTokens: Tokens; readonly ledgerTokens: Tokens };
}

/** What began a turn. */
export type TurnKind = 'user' | 'heartbeat' | 'cron' | 'hook' | 'internal';

/** Why a compaction happened. */
export type CompactTrigger = 'threshold' | 'overflow' | 'manual' | 'background';

/** The entries that a compaction covers, from first to last, and what stays. */
export interface CompactionRange {
  readonly from: EntryRef;
  readonly to: EntryRef;
  /** First entry that stays in the prompt behind the summary; `null` when all is covered. */
  readonly firstKept: EntryRef | null;
  /** User message inside the range that stays in the prompt because its turn goes on. */
  readonly held: EntryRef | null;
}

/** A stretch of the conversation that prompts now show as its summary. The entries themselves stay. */
export interface CompactionEntry extends EntryBase {
  readonly type: 'compaction';
  readonly range: CompactionRange;
  /** The compaction whose content this one includes. */
  readonly previousId: Ulid | null;
  readonly trigger: CompactTrigger;
  readonly instructions?: string | undefined;
  readonly tokensBefore: Tokens;
  readonly tokensAfter: Tokens;
  readonly by: { readonly plugin: string; readonly version: string; readonly model?: string | undefined };
  readonly prose: string | null;
  readonly digest: Digest;
  /** Edits of entries that stay. */
  readonly edits: readonly Edit[];
  readonly quality?: string | undefined;
}

/** Edits that every later prompt repeats until a compaction covers them, they are undone, or the model changes. */
export interface EditEntry extends EntryBase {
  readonly type: 'edit';
  readonly by: string;
  readonly edits: readonly Edit[];
}

/** A setting of the session; the newest value of a name holds. */
export interface SettingEntry extends EntryBase {
  readonly type: 'setting';
  readonly name: string;
  readonly value: JsonValue;
}

/** Live state (running children, open tasks) that no stage may drop; `null` clears the slot. */
export interface StateEntry extends EntryBase {
  readonly type: 'state';
  readonly slot: string;
  readonly text: string | null;
}

/** Moves the head: what follows continues from the target. */
export interface HeadEntry extends EntryBase {
  readonly type: 'head';
  readonly targetId: Ulid;
  readonly targetSeq: Seq;
  readonly reason: 'rewind' | 'branch' | 'restore';
}

/** Takes a compaction, edit or state entry back; later messages stay. */
export interface RevokeEntry extends EntryBase {
  readonly type: 'revoke';
  readonly targetId: Ulid;
}

/** What became of an entry in one request. That a plugin quoted it besides is no verdict: see `recalledBy`. */
export type VerdictKind = 'off-path' | 'summarised' | 'dropped' | 'parked' | 'cleared' | 'edited' | 'kept';

/** A verdict with its reason: `rule` is what was applied, `by` the plugin or, for `summarised`, the compaction. */
export interface Verdict {
  readonly kind: VerdictKind;
  readonly rule?: string | undefined;
  readonly by?: string | undefined;
}

/** A verdict that a request changed, for one entry or, with `toSeq`, for all from `seq` to it. */
export interface VerdictChange {
  readonly seq: Seq;
  readonly toSeq?: Seq | undefined;
  readonly verdict: VerdictKind;
  readonly rule?: string | undefined;
  readonly by?: string | undefined;
}

/** A layer of a request: its size, the files it was read from, and its text if that is not in the journal. */
export interface RequestLayer {
  readonly id: string;
  /** Where it stands: in the system prompt, before the conversation, or behind it. */
  readonly place: 'system' | 'summary' | 'volatile';
  readonly tokens: Tokens;
  readonly sources: readonly { readonly path: string; readonly hash: string }[];
  readonly text?: string | undefined;
  /** Entries that the layer quotes, in order. @default none */
  readonly seqs?: readonly Seq[] | undefined;
  /** The plugin behind a layer that quotes entries. */
  readonly by?: string | undefined;
}

/** Names a note: `id` is unique for its plugin at its place. */
export interface NoteRef {
  readonly id: string;
  /** The plugin that made it. */
  readonly by: string;
  /** Entry behind whose group it stands, in reading order; 0 for the beginning of the conversation. */
  readonly afterSeq: Seq;
}

/** A note that a request was the first to have: later ones have it at the same place, until the next rebuild. */
export interface RequestNote extends NoteRef {
  /** Why it was made. */
  readonly rule: string;
  /** The message as it is sent, on the user's side. */
  readonly text: string;
  readonly tokens: Tokens;
  /** Entries that it quotes, in order. */
  readonly seqs: readonly Seq[];
}

/** A note of an earlier request that one request did not have. */
export interface LeftOutNote extends NoteRef {
  /** Why: `window-cut`, or the rule of a plugin. */
  readonly rule: string;
}

/** What was sent in one request, as a delta to the request before. */
export interface RequestEntry extends EntryBase {
  readonly type: 'request';
  readonly turnId: string;
  readonly model: string;
  /** The prompt's budget; `null` = none. */
  readonly budget: Tokens | null;
  readonly tokens: Tokens;
  /** Tokens of the tools, and of what the host sent besides; they are not in `tokens`. @default 0 */
  readonly reserved?: Tokens | undefined;
  /** The model's window as it was known then. @default nobody knew it */
  readonly window?: Tokens | undefined;
  /** How many of the model's tokens one counted token was taken to be; the budget is in counted ones. @default 1 */
  readonly factor?: number | undefined;
  /** Hash of the host's options and plugins, to tell requests of different set-ups apart. */
  readonly by: string;
  /** First byte that differs from the request before; `null` when that one is a prefix, or there is none. */
  readonly firstChangedByte: number | null;
  readonly changes: readonly VerdictChange[];
  readonly layers: readonly RequestLayer[];
  /** Notes that it was the first to have, in the order in which they stand. @default none */
  readonly notes?: readonly RequestNote[] | undefined;
  /**
   * The last compaction, undo or move of the head that its prompt knew of; 0 for none. The entry may be stored behind a
   * newer one, which came while the prompt was made. @default the last one before it
   */
  readonly rebuiltSeq?: Seq | undefined;
  /** Notes in force that were not in its prompt. @default none */
  readonly leftOutNotes?: readonly LeftOutNote[] | undefined;
}

/** What a plugin, or an importer, stores for itself under `plugin:kind`. Never in a prompt. */
export interface RecordEntry extends EntryBase {
  readonly type: `${string}:${string}`;
  readonly data: JsonValue;
}

/** One journal line. */
export type Entry =
  | MessageEntry
  | CompactionEntry
  | EditEntry
  | SettingEntry
  | StateEntry
  | HeadEntry
  | RevokeEntry
  | RequestEntry
  | RecordEntry;

/** An entry before core gave it id, parent, seq and time. */
export type NewEntry = Entry extends infer Each
  ? Each extends EntryBase
    ? Omit<Each, keyof EntryBase>
    : never
  : never;

/** The reference to an entry. */
export function refOf(entry: EntryBase): EntryRef {
  return { id: entry.id, seq: entry.seq };
}
