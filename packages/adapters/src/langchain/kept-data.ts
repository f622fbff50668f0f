import type { JsonValue, MessagePart, ProviderOptions } from '@varve/core';

/** A JSON object. */
export type Fields = { readonly [field: string]: JsonValue };

/** What a part keeps of LangChain's own, under `providerOptions.langchain`. */
export interface LangChainKept {
  /** The block that the part was. One of a type that no part stands for is a part without text. */
  readonly block?: Fields;
  /** Fields of the message that the part is the first of. */
  readonly message?: Fields;
}

/** What is kept, as options of a part; nothing for nothing. */
export function keepData(kept: LangChainKept): { readonly providerOptions?: ProviderOptions } {
  return Object.keys(kept).length === 0 ? {} : { providerOptions: { langchain: kept as Fields } };
}

/** What a part keeps; fields of the wrong shape count as absent. */
export function keptData({ providerOptions }: Pick<MessagePart, 'providerOptions'>): LangChainKept {
  const { langchain } = providerOptions ?? {};
  const { block, message } = fieldsOf(langchain);
  return { ...(isFields(block) ? { block } : {}), ...(isFields(message) ? { message } : {}) };
}

/** True for a JSON object. */
function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields of an object; none of anything else. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}
