import { estimateTokens, type Tokens } from '@varve/core';
import type { PromptPart } from '../wire/wire.ts';

/** How the server counts. */
export interface CountOptions {
  /** Tokens of a text. @default `estimateTokens` of core */
  readonly count?: ((text: string) => Tokens) | undefined;
  /** By which everything is multiplied, so that server and client count differently. @default 1 */
  readonly factor?: number | undefined;
}

/** A part of the input with its tokens. */
export interface CountedPart extends PromptPart {
  readonly tokens: Tokens;
}

/** Counts texts, in whole tokens. */
export function counterOf({
  count = estimateTokens,
  factor = 1,
}: CountOptions): (text: string, extra?: Tokens) => Tokens {
  return (text, extra = 0) => Math.ceil((count(text) + extra) * factor);
}

/** Gives each part its tokens. */
export function countParts(parts: readonly PromptPart[], options: CountOptions): readonly CountedPart[] {
  const count = counterOf(options);
  return parts.map((part) => ({ ...part, tokens: count(part.text, part.extraTokens) }));
}
