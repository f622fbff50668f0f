import type { CompactionEntry, CompactTrigger, ErrorCode, Manifest, Milliseconds, Seq, Tokens } from '@varve/core';
import type { LayerTokens } from './layer-tokens.ts';

/** One model call of a transcript as Varve would have made it. Small: a replay keeps one a call. */
export interface RequestRow {
  /** Number of the call in its conversation, from 1. */
  readonly turn: number;
  /** Number of the conversation, in a file of several. */
  readonly item?: number;
  /** Number of the request in its session, as `varve explain --request` takes it; `null` when it could not be made. */
  readonly request: number | null;
  /** Where the model's answer stands in the file, such as `line:12`. */
  readonly key: string;
  readonly at: Milliseconds;
  /** `provider/model`. */
  readonly model: string;
  /** Messages of the conversation so far. */
  readonly entries: number;
  /** The whole request, with what the host sends besides. */
  readonly tokens: Tokens;
  /** What it may take; `null` for no limit. */
  readonly budget: Tokens | null;
  readonly layers: LayerTokens;
  /** What was done since the request before that changed what had been sent: `compaction`, `cleared:…`, … */
  readonly actions: readonly string[];
  /** Messages that this request leaves out and none before did. What a summary stands for is not left out. */
  readonly dropped: number;
  /** All messages that this request leaves out. */
  readonly leftOut: number;
  readonly cacheRead: Tokens;
  readonly cacheWrite: Tokens;
  /** Tokens that no cache has to do with. */
  readonly uncached: Tokens;
  /** In input-token equivalents. */
  readonly cost: number;
  /** Tokens and cost of sending the whole conversation instead. */
  readonly everything: { readonly tokens: Tokens; readonly cost: number };
  /** Why the request could not be made. */
  readonly error?: { readonly code: ErrorCode; readonly message: string };
  /** What a provider would refuse about it. */
  readonly invalid?: string;
}

/** One compaction of a replay. */
export interface CompactionRow {
  /** The call that it was made for. */
  readonly turn: number;
  readonly item?: number;
  /** Its entry in the journal. */
  readonly seq: Seq;
  readonly trigger: CompactTrigger;
  readonly tokensBefore: Tokens;
  readonly tokensAfter: Tokens;
  /** The entries that its summary stands for from now on. */
  readonly fromSeq: Seq;
  readonly toSeq: Seq;
  readonly by: string;
}

/** What a row says of a committed compaction. */
export function compactionRowOf(entry: CompactionEntry, place: Pick<CompactionRow, 'turn' | 'item'>): CompactionRow {
  const { seq, trigger, tokensBefore, tokensAfter, range, by } = entry;
  return {
    ...place,
    seq,
    trigger,
    tokensBefore,
    tokensAfter,
    fromSeq: range.from.seq,
    toSeq: range.to.seq,
    by: by.plugin,
  };
}

/** Messages with nothing in them, and halves of answers that were asked for again, are in no prompt: that loses nothing. */
const lossless: ReadonlySet<string> = new Set(['empty-message', 'unfinished-answer']);

/** The messages that a prompt does not show because there is nothing in them. */
export function emptyOf({ entries }: Manifest): ReadonlySet<Seq> {
  const empty = entries.filter(({ kind, rule }) => kind === 'dropped' && lossless.has(rule ?? ''));
  return new Set(empty.map(({ seq }) => seq));
}

/** The messages that a prompt leaves out. */
export function leftOutOf({ entries }: Manifest): ReadonlySet<Seq> {
  const leftOut = entries.filter(({ kind, rule }) => kind === 'dropped' && !lossless.has(rule ?? ''));
  return new Set(leftOut.map(({ seq }) => seq));
}

/** Two decimals are enough for a cost, and keep rows small. */
export function roundCost(cost: number): number {
  return Math.round(cost * 100) / 100;
}
