import type { JsonValue, MessagePart } from '@varve/core';

/** A JSON object. */
export type Fields = { readonly [field: string]: JsonValue };

/** What a part keeps for this provider, under `providerOptions.openai`. */
export interface OpenAIKept {
  /** True for a text with which the model refused. */
  readonly refusal: boolean;
  /** Field in which a server other than OpenAI's handed out reasoning. */
  readonly reasoningField?: 'reasoning_content' | 'reasoning';
  /** A whole item of the Responses API: reasoning, or one of a type that no part stands for. */
  readonly item?: Fields & { readonly type: string };
  /** Id of the item that the part was in. */
  readonly itemId?: string;
  /** Fields of that item that no part has a place for, such as `phase`. */
  readonly fields: Fields;
}

/** Reads what a part keeps; fields of the wrong shape count as absent. */
export function keptData({ providerOptions }: Pick<MessagePart, 'providerOptions'>): OpenAIKept {
  const { openai = {} } = providerOptions ?? {};
  const { refusal, reasoningField, item, itemId, fields } = openai;
  const isField = reasoningField === 'reasoning_content' || reasoningField === 'reasoning';
  const { type } = isFields(item) ? item : {};
  return {
    refusal: refusal === true,
    ...(isField ? { reasoningField } : {}),
    ...(typeof type === 'string' ? { item: { ...(item as Fields), type } } : {}),
    ...(typeof itemId === 'string' && itemId !== '' ? { itemId } : {}),
    fields: isFields(fields) ? fields : {},
  };
}

/** True for a JSON object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Fields that say something: servers write `null` where they have nothing to say, and refuse it when it comes back. */
export function withoutNulls(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}
