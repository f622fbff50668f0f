import type { Budget } from '../budget.ts';
import type { NoteRef, Verdict } from '../journal/entry.ts';
import type { Message } from '../message.ts';
import type { Seq, Tokens, Ulid } from '../units.ts';
import type { Layer, LayerItem, LayerSpec } from './layer.ts';

/** A message of a draft: where it came from, what it costs, and what may be done to it. A note is one, too. Frozen. */
export interface Item {
  /** `#12` for the message of entry 12; a second message of the same entry is `#12.2`. */
  readonly id: string;
  /** Items of one group stay or go together: an assistant message and the results of its calls. */
  readonly groupId: string;
  /** The entry's seq; `null` for a note, and for a message that core made up. */
  readonly seq: Seq | null;
  readonly entryId: Ulid | null;
  readonly message: Message;
  /** For each part of `message`, its index in the entry's message; -1 for a part that core made up. */
  readonly partIndexes: readonly number[];
  readonly tokens: Tokens;
  /** Part of the running turn: the current user message and all after it. */
  readonly live: boolean;
  /** A tool result that no answer of the model has seen yet. */
  readonly unread: boolean;
  /** The user's own words, by provenance; where no user ever spoke, what a program put in the user's place. */
  readonly said: boolean;
  /** Kept whatever happens, as far as space allows. */
  readonly protected: boolean;
  /** What is known of a note; `null` for a message of the conversation. */
  readonly note: ItemNote | null;
}

/** What is known of an item that a plugin has added as a note. */
export interface ItemNote extends NoteRef {
  /** Why it was made. */
  readonly rule: string;
  /** Entries that it quotes, in order. */
  readonly seqs: readonly Seq[];
  /** Made for this prompt; the others stand where an earlier prompt had them. */
  readonly isNew: boolean;
}

/** Text that a plugin adds behind the conversation: it stays there in every later prompt until the next rebuild. */
export interface NoteSpec {
  /** Unique for the plugin among the notes that it adds at one place. */
  readonly id: string;
  /** First line of the note; none where it is empty. @default the id */
  readonly heading?: string | undefined;
  /** Most important first: what does not fit is left out from the end. */
  readonly items: readonly LayerItem[];
  /** The note never takes more. @default no limit */
  readonly maxTokens?: Tokens | undefined;
}

/** Items that stay or go together. */
export interface Group {
  readonly id: string;
  readonly items: readonly Item[];
  readonly tokens: Tokens;
  readonly live: boolean;
  readonly unread: boolean;
  readonly protected: boolean;
}

/** A text that `edit` may replace. */
export interface EditablePart {
  readonly item: Item;
  /** Index of the part in the entry's message. */
  readonly part: number;
  readonly kind: 'text' | 'tool-result';
  readonly text: string;
  /** Name of the tool, for a result. */
  readonly toolName: string | null;
}

/** What differs between two drafts, by entry. */
export interface DraftDiff {
  readonly changes: readonly { readonly seq: Seq; readonly before: Verdict; readonly after: Verdict }[];
  readonly layersAdded: readonly string[];
  readonly tokensBefore: Tokens;
  readonly tokensAfter: Tokens;
}

/**
 * What will be sent, as an immutable value. Every operation returns a new draft and writes down its own verdict; none
 * can part a tool call from its result, touch the running turn beyond parking, or invent a message.
 */
export interface Draft {
  /** The conversation, in the order in which it is sent. */
  readonly items: readonly Item[];
  readonly layers: readonly Layer[];
  /** Tokens of all items and layers. */
  readonly tokens: Tokens;
  readonly budget: Budget;
  groups(): readonly Group[];
  /** What became of an entry so far; `kept` when nothing was done to it. */
  verdictOf(seq: Seq): Verdict;
  /**
   * Replaces texts outside the running turn. `change` returns the new text, or nothing to leave a part as it is.
   * With `sticky`, core commits the edits, so that all later prompts repeat them byte for byte.
   */
  edit(
    change: (part: EditablePart) => string | undefined,
    options: { readonly rule: string; readonly sticky?: boolean; readonly clears?: boolean },
  ): Draft;
  /** Leaves groups out. @throws VARVE_DRAFT_LIVE  for the running turn; VARVE_DRAFT_UNKNOWN for an unknown group. */
  drop(groupIds: string | readonly string[], rule: string): Draft;
  /**
   * Shortens the results of groups to head, tail and a pointer to the entry. Results that the model has not read stay.
   *
   * @throws VARVE_DRAFT_UNKNOWN  for an unknown group.
   */
  park(groupIds: string | readonly string[], rule: string): Draft;
  /**
   * Adds a layer of text, or replaces the plugin's own one with its id.
   *
   * @throws VARVE_DRAFT_LAYER  when the id is that of somebody else's layer, or one of core's: `system`, `summary`, `state`.
   */
  addLayer(spec: LayerSpec, rule: string): Draft;
  /**
   * Adds a note behind all that is there, also behind the running turn, or replaces the plugin's own new one with its id.
   * From the request on it stands at that very place in every prompt, until a compaction, an undo or a move of the head.
   * Nothing else yields to a new note: one for which there is no room is left out, see `manifest.notes`. The same draft
   * for a note without a text, and for one that an earlier prompt has had at this place under this id.
   *
   * @throws VARVE_OPTION_INVALID  for what is no note.
   */
  addNote(spec: NoteSpec, rule: string): Draft;
  /**
   * Marks a group, by its `groupId`, as one to keep: core neither shortens it nor leaves it out.
   *
   * @throws VARVE_DRAFT_UNKNOWN  for an unknown group.
   */
  protect(groupId: string): Draft;
  diff(other: Draft): DraftDiff;
}
