import type { JsonValue, ProviderOptions } from '@varve/core';
import type { AnthropicBlock } from './request.ts';

/** What a part keeps for this provider, under `providerOptions.anthropic`. */
export interface AnthropicKept {
  /** Proof of a thinking block. */
  readonly signature?: string;
  /** Data of a redacted thinking block. */
  readonly redactedData?: string;
  /** Fields of a known block that no part has a place for, such as `citations` and `caller`. */
  readonly fields?: { readonly [field: string]: JsonValue };
  /** A whole block of a type that no part stands for. */
  readonly block?: AnthropicBlock;
}

/** Reads what a part keeps; fields of the wrong shape count as absent. */
export function keptData({
  providerOptions,
}: {
  readonly providerOptions?: ProviderOptions | undefined;
}): AnthropicKept {
  const { anthropic = {} } = providerOptions ?? {};
  const { signature, redactedData, fields, block } = anthropic;
  const { type } = isRecord(block) ? block : {};
  return {
    ...(typeof signature === 'string' && signature !== '' ? { signature } : {}),
    ...(typeof redactedData === 'string' && redactedData !== '' ? { redactedData } : {}),
    ...(isRecord(fields) ? { fields } : {}),
    ...(typeof type === 'string' ? { block: block as unknown as AnthropicBlock } : {}),
  };
}

/** True for a JSON object. */
export function isRecord(value: unknown): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
