import type { RequestLayer, RequestNote, Verdict, VerdictKind } from '../journal/entry.ts';
import type { Message } from '../message.ts';
import type { Seq, Tokens } from '../units.ts';

/** One text of the system prompt, and the layer that it is. */
export interface Block {
  readonly layer: string;
  readonly text: string;
}

/** Verdict of one visible message entry in one request. */
export interface EntryVerdict extends Verdict {
  readonly seq: Seq;
  /** The host's own id of the message, if it gave one. */
  readonly key?: string | undefined;
  readonly role: Message['role'];
  /** What the entry costs in this prompt; 0 when it is not in it. */
  readonly tokens: Tokens;
}

/** Verdict of all entries of a stretch that is not visible: one that a compaction covers, or one that is off the path. */
export interface RangeVerdict extends Verdict {
  readonly fromSeq: Seq;
  readonly toSeq: Seq;
}

/** A note in a prompt, or one that is in force and was left out. */
export interface ManifestNote extends RequestNote {
  /** What it costs in this prompt; 0 when it is not in it. */
  readonly tokens: Tokens;
  /** No earlier prompt has had it. */
  readonly isNew: boolean;
  /** Why it is not in this prompt: `no-room`, `window-cut`, or the rule of a plugin. */
  readonly leftOut?: { readonly rule: string; readonly by: string } | undefined;
}

/** Something that was done since the request before and that changed bytes already sent. `nameOfAction` names it. */
export type ManifestAction =
  /** Another summary stands before the conversation: that of the compaction `seq`; `null` when there is none any more. */
  | { readonly kind: 'compaction'; readonly seq: Seq | null }
  /** Another model is asked, by `provider/model`: sticky edits made for the one before have ended. */
  | { readonly kind: 'model'; readonly from: string; readonly to: string }
  /** A layer before the conversation has another text, has come, or is gone. */
  | { readonly kind: 'layer'; readonly id: string }
  /** Notes of a plugin that the request before had are gone, or are back; `notes` says how many. */
  | { readonly kind: 'notes'; readonly by: string; readonly notes: number }
  /** Results have come for calls that the request before showed without one. */
  | { readonly kind: 'late-result'; readonly seqs: readonly Seq[] }
  /** A conversation whose beginning core had to make up now has one. */
  | { readonly kind: 'opening' }
  /** Entries have another verdict, by one rule; `restored` for those that are whole again. */
  | {
      readonly kind: 'verdict';
      readonly verdict: VerdictKind | 'restored';
      readonly rule: string;
      readonly fromSeq: Seq;
      readonly toSeq: Seq;
      /** How many, from the first to the last. */
      readonly entries: number;
    };

/** Why every entry is, or is not, in a prompt. Its tokens add up to the prompt's. */
export interface Manifest {
  /** Number of the request in its session, from 1. */
  readonly request: number;
  readonly entries: readonly EntryVerdict[];
  readonly ranges: readonly RangeVerdict[];
  /** Text layers with their size; the summary of a compaction is the layer `summary`. */
  readonly layers: readonly RequestLayer[];
  /** Notes, in the order in which they stand, then those that were left out. */
  readonly notes: readonly ManifestNote[];
  /** Tokens of messages that core made up: results of calls that were interrupted, a first message for the user's side. */
  readonly madeUpTokens: Tokens;
  /** What was done since the request before that changed bytes already sent, sorted by name. */
  readonly actions: readonly ManifestAction[];
  /**
   * First byte at which the stable part differs from the request before, counted in the JSON of its blocks and
   * messages; `null` when that one is a prefix of this one, or there is none to compare with.
   */
  readonly firstChangedByte: number | null;
}

/** Where provider caches may set marks. */
export interface PromptMarks {
  /** Number of system blocks up to the mark; 0 for no mark. */
  readonly afterSystem: number;
  /** Number of messages up to the mark: those behind it change with every request. */
  readonly afterStable: number;
}

/** An accepted draft: what is sent, provider-neutral, with why. Made by core alone. */
export interface Prompt {
  readonly system: readonly Block[];
  readonly messages: readonly Message[];
  readonly marks: PromptMarks;
  /** Tokens of system and messages by the session's counter. */
  readonly tokens: Tokens;
  readonly manifest: Manifest;
}
