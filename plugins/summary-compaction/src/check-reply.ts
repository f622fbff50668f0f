import type { ModelReply, Tokens } from '@varve/core';
import { sectionsOf } from './prose-sections.ts';
import type { CountTokens } from './split-passages.ts';

/** What a reply is held against. */
export interface ReplyLimits {
  readonly maxTokens: Tokens;
  /** Tokens of what the reply is about: one that is longer sums nothing up. */
  readonly sourceTokens: Tokens;
  readonly count: CountTokens;
  /** Why the text will not do, as the end of a sentence; `null` when it will. */
  objection(text: string): string | null;
}

/** The text of a reply, or why it is not taken, as the end of a sentence. */
export type CheckedReply = { readonly text: string } | { readonly refused: string };

/** Takes a model's reply only when it is a whole text that is shorter than its source and within its bound. */
export function checkReply(reply: ModelReply, limits: ReplyLimits): CheckedReply {
  const { message } = reply;
  const parts =
    typeof message.content === 'string' ? [{ type: 'text' as const, text: message.content }] : message.content;
  const { stop } = message;
  if (stop === 'length') return { refused: 'it was cut off at its greatest length' };
  if (stop === 'tool-calls' || parts.some((part) => part.type === 'tool-call')) return { refused: 'it called a tool' };
  if (stop === 'content-filter' || stop === 'error' || stop === 'aborted') return { refused: `it ended by ${stop}` };
  const text = parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n')
    .trim();
  if (sectionsOf(text).length === 0) return { refused: 'it was empty' };
  const tokens = limits.count(text);
  if (tokens > limits.maxTokens) return { refused: 'it was too long' };
  if (tokens > limits.sourceTokens) return { refused: 'it was longer than what it sums up' };
  const objection = limits.objection(text);
  return objection === null ? { text } : { refused: objection };
}
