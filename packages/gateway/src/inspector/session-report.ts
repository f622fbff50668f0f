import type { Milliseconds, Seq, Tokens, VerdictChange } from '@varve/core';

/** Names of the layers in a picture of requests, from below. */
export type PictureLayer = 'system' | 'summary' | 'history' | 'notes' | 'live' | 'volatile';

/** What is marked below a request: something that changed what had been sent before. */
export type PictureMark = 'compaction' | 'prune' | 'cut' | 'model' | 'undo' | 'failed';

/** One request: a column of the picture. */
export interface PictureRequest {
  /** Its number in the picture, from 1. */
  readonly number: number;
  /** Its entry in the journal; `null` when the request could not be made. */
  readonly seq: Seq | null;
  readonly at: Milliseconds;
  /** `provider/model`. */
  readonly model: string;
  readonly tokens: Tokens;
  /** `null` for no limit. */
  readonly budget: Tokens | null;
  readonly layers: Readonly<Record<PictureLayer, Tokens>>;
  readonly marks: readonly PictureMark[];
  /** What was done, in the words of its plugins. */
  readonly actions: readonly string[];
  /** `null` when the request before is a prefix of it, or there is none. */
  readonly firstChangedByte: number | null;
  /** What the cache of the provider did, or would have done; `null` where nobody knows. Costs are in input tokens. */
  readonly cache: {
    readonly read: Tokens;
    readonly write: Tokens;
    readonly uncached: Tokens;
    readonly cost: number | null;
    /** Cost of sending the whole conversation instead. */
    readonly everything: number | null;
  } | null;
  /** Why it could not be made, or would be refused. */
  readonly error: string | null;
}

/** A message as a report holds it. */
export interface ReportMessage {
  readonly seq: Seq;
  readonly role: string;
  readonly tokens: Tokens;
  readonly text: string;
  /** How long the text is when not all of it is held. */
  readonly characters?: number | undefined;
}

/** What stands in a prompt in the place of a message, from an entry of the journal on. */
export interface ReportEdit {
  /** Message that is shown otherwise. */
  readonly seq: Seq;
  /** Entry that says so. */
  readonly since: Seq;
  readonly rule: string;
  readonly by: string;
  readonly text: string;
}

/** A compaction of the conversation. */
export interface ReportCompaction {
  readonly seq: Seq;
  readonly fromSeq: Seq;
  readonly toSeq: Seq;
  readonly trigger: string;
  readonly by: string;
  readonly tokensBefore: Tokens;
  readonly tokensAfter: Tokens;
  /** What stands for the entries that it covers. */
  readonly text: string;
}

/** One conversation, with what was sent for each of its answers. */
export interface ReportConversation {
  readonly title: string;
  readonly requests: readonly PictureRequest[];
  /** Verdicts that each request changed, in the order of `requests`. */
  readonly changes: readonly (readonly VerdictChange[])[];
  readonly messages: readonly ReportMessage[];
  readonly edits: readonly ReportEdit[];
  readonly compactions: readonly ReportCompaction[];
}

/** All that a page shows which stands alone: one file, without a gateway behind it. */
export interface SessionReport {
  readonly title: string;
  /** Name and value of what is said about all of it. */
  readonly facts: readonly { readonly name: string; readonly value: string }[];
  /** What went wrong, in sentences. */
  readonly problems: readonly string[];
  readonly conversations: readonly ReportConversation[];
}
