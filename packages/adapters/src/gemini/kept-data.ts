import type { JsonValue, MessagePart, ProviderOptions } from '@varve/core';

/** A JSON object. */
export type Fields = { readonly [field: string]: JsonValue };

/** What a part keeps for this provider, under `providerOptions.google`. */
export interface GeminiKept {
  readonly thoughtSignature?: string;
  /** True for a call whose id is the provider's own. */
  readonly hasOwnId?: true;
  /** A whole part of a kind that no part of ours stands for. */
  readonly part?: Fields;
}

/** What is kept, as options of a part; nothing for nothing. */
export function keepData(kept: GeminiKept): { readonly providerOptions?: ProviderOptions } {
  return Object.keys(kept).length === 0 ? {} : { providerOptions: { google: kept as Fields } };
}

/** What a part keeps; fields of the wrong shape count as absent. */
export function keptData({ providerOptions }: Pick<MessagePart, 'providerOptions'>): GeminiKept {
  const { google } = providerOptions ?? {};
  const { thoughtSignature, hasOwnId, part } = fieldsOf(google);
  return {
    ...(typeof thoughtSignature === 'string' && thoughtSignature !== '' ? { thoughtSignature } : {}),
    ...(hasOwnId === true ? { hasOwnId } : {}),
    ...(isFields(part) ? { part } : {}),
  };
}

/** True for a JSON object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields of an object; none of anything else. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}
