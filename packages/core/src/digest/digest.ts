import type { Digest, MessageEntry, UserLogLine } from '../journal/entry.ts';
import { isOfUser } from '../message.ts';
import { estimateTokens } from '../tokens/token-estimator.ts';
import type { Tokens } from '../units.ts';
import { mergeLedger } from './ledger.ts';
import { shortenText } from './shorten-text.ts';
import { chooseLines, userText } from './user-log.ts';

/** Longest line of the user log, in tokens: with it, 95 to 97 % of what users had said stayed in view at 32k. */
const maxLineTokens = 160;

/** Longest task: a request with its list of wishes, not the file that was pasted behind it. */
const maxTaskTokens = 480;

/** A digest keeps this many times the user lines that a prompt shows, for later prompts with more room. */
const spareLines = 4;

/** What a line's `#seq` and break cost beside its text, in tokens. */
const lineOverhead = 4;

/** What a digest is built from. */
export interface BuildDigestOptions {
  /** Digest of the compaction before; its content goes on in the new one. */
  readonly previous: Digest | null;
  /** The entries covered since, in order. */
  readonly covered: readonly MessageEntry[];
  /** How much of the digest prompts will show; stored in it. */
  readonly shares: Digest['shares'];
}

/**
 * Builds what core keeps of the entries that a compaction covers. Deterministic, needs no model.
 *
 * - `task`: the first request of the conversation, at most 480 tokens; never lost.
 * - `userLog`: the user's own words (provenance `user` alone), each at most 160 tokens, oldest first; in all up to four
 *   times `shares.userLogTokens`, beyond which rules, corrections and newer lines stay. The task is not repeated.
 * - `ledger`: see {@link mergeLedger}.
 *
 * Messages that were forgotten give nothing.
 */
export function buildDigest({ previous, covered: all, shares }: BuildDigestOptions): Digest {
  const covered = all.filter((entry) => entry.forgotten === undefined);
  const spoken = covered.filter(isOfUser).map((entry) => ({ seq: entry.seq, text: userText(entry) }));
  const said = spoken.filter((line) => line.text !== '');
  const task = previous?.task ?? (said[0] === undefined ? null : shorten(said[0], maxTaskTokens));
  const lines = new Map((previous?.userLog ?? []).map((line) => [line.seq, line]));
  for (const line of said) if (line.seq !== task?.seq) lines.set(line.seq, shorten(line, maxLineTokens));
  const userLog = chooseLines([...lines.values()].sort(bySeq), {
    maxTokens: shares.userLogTokens * spareLines,
    costOf: ({ text }) => estimateTokens(text) + lineOverhead,
  });
  return { task, userLog, ledger: mergeLedger(previous?.ledger ?? [], covered), shares: { ...shares } };
}

function shorten({ seq, text }: UserLogLine, maxTokens: Tokens): UserLogLine {
  return { seq, text: shortenText(text, { maxTokens, count: estimateTokens }) };
}

function bySeq(a: UserLogLine, b: UserLogLine): number {
  return a.seq - b.seq;
}
