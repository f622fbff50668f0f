import type { JsonValue, Message, Milliseconds, Provenance, StopReason, Tokens, Usage } from '@varve/core';

/** Kinds of files that can be read: each is recognised by what stands in it, never by its name. */
export type TranscriptFormat =
  | 'pi'
  | 'claude-code'
  | 'openai-messages'
  | 'anthropic-messages'
  | 'flat-lines'
  | 'typed-lines'
  | 'swe-agent'
  | 'mini-swe-agent'
  | 'tau-bench'
  | 'text-actions';

interface RecordBase {
  /**
   * Line of the file, from 1. In a file that is one JSON document, the position of the element in the list of
   * messages, from 1.
   */
  readonly line: number;
}

/** A conversation begins. Every file has at least one, and it is the first record. */
export interface ItemRecord extends RecordBase {
  readonly kind: 'item';
  /** Number of the conversation in the file, from 1. */
  readonly item: number;
  /** What the file calls the conversation. */
  readonly title?: string | undefined;
}

/** What a transcript says about one call of a model. */
export interface ModelCall {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly stop?: StopReason | undefined;
  /** How long what was written to the provider's cache is kept there. */
  readonly cacheWriteTtl?: '5m' | '1h' | undefined;
  /** What the provider, or the tool that made the file, said when the call failed. */
  readonly error?: string | undefined;
}

/** One message, whole: lines that hold pieces of one message have been put together. */
export interface MessageRecord extends RecordBase {
  readonly kind: 'message';
  /** All lines that the message was put together from, in order; the first is `line`. */
  readonly lines: readonly number[];
  /**
   * Names the message among those of its conversation: `line:12`, and `line:12.2` for the second message that one
   * line holds; `message:3` where a conversation is one list, beside which `system` and `query:1` may stand. The same
   * in every reading of the file.
   */
  readonly key: string;
  readonly message: Message;
  /** Where the message came from, when the role alone does not say it. */
  readonly provenance?: Provenance | undefined;
  readonly at?: Milliseconds | undefined;
  readonly usage?: Usage | undefined;
  /**
   * Present if, and only if, the message is the answer of one call of a model. Such a message may hold no part: the
   * call failed or was aborted before the model said anything. Of a message whose pieces lie too far apart to be put
   * together, only the first record has it.
   */
  readonly call?: ModelCall | undefined;
}

/** What a compaction of the other tool says. Plain JSON, ready to be stored as a record. */
export type TranscriptCompaction = {
  readonly format: TranscriptFormat;
  /** The summary that stood in for the older messages; `null` when the file does not hold it. */
  readonly summary: string | null;
  readonly at?: Milliseconds | undefined;
  /** Why: `auto`, `manual`, … in the tool's own word. */
  readonly trigger?: string | undefined;
  /** Size of the prompt before, as the tool counted it. */
  readonly tokensBefore?: Tokens | undefined;
  /** First entry that stayed, as its position in the file (the header is 0). pi, version 1. */
  readonly firstKeptEntryIndex?: number | undefined;
  /** First entry that stayed, by its id. pi, since version 2. */
  readonly firstKeptEntryId?: string | undefined;
};

/** The other tool compacted here. What it covers are the messages before, which are all in the transcript. */
export interface CompactionRecord extends RecordBase {
  readonly kind: 'compaction';
  readonly data: TranscriptCompaction;
}

/** A setting got a value: `provider/model` for `model`, the tool's own word for `thinking`. */
export interface SettingRecord extends RecordBase {
  readonly kind: 'setting';
  readonly name: 'model' | 'thinking';
  readonly value: string;
  readonly at?: Milliseconds | undefined;
}

/**
 * Something that is no message, or that this reader does not know; kept as it stands. `type` is what the file calls it;
 * `side-chain` is a line of another conversation, `off-path` one of a branch that was left, and `content:x` a part of a
 * message.
 */
export interface UnknownRecord extends RecordBase {
  readonly kind: 'unknown';
  readonly type: string;
  readonly data: JsonValue;
}

/** A line that cannot be read, or (not valid UTF-8) only in part: then its other records follow. */
export interface DamagedRecord extends RecordBase {
  readonly kind: 'damaged';
  readonly reason: string;
}

/** One thing that a transcript says, in the order of the file. */
export type TranscriptRecord =
  | ItemRecord
  | MessageRecord
  | CompactionRecord
  | SettingRecord
  | UnknownRecord
  | DamagedRecord;
