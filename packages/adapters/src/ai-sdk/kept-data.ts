import type { JsonValue, ProviderOptions } from '@varve/core';
import { jsonOf } from '../json-of.ts';
import type { AiSdkOptions } from './messages.ts';

/** A JSON object. */
export type Fields = { readonly [field: string]: JsonValue };

/** What a part keeps of the AI SDK's own, under `providerOptions['ai-sdk']`. */
interface AiSdkKept {
  /** A whole part of a type that no part of ours stands for. */
  readonly part?: Fields;
  /** A whole message of that kind. */
  readonly message?: Fields;
  /** Options of the message that the part is the first of. */
  readonly messageOptions?: Fields;
  /** An output of a type that no output of ours stands for, or options of one. */
  readonly output?: Fields;
  /** Name of a file that is an image. */
  readonly filename?: string;
}

const own = 'ai-sdk';

/** Provider options of something that came in, with what is kept of it. Nothing for nothing. */
export function keepData(given: unknown, kept: AiSdkKept = {}): { readonly providerOptions?: ProviderOptions } {
  const fields = fieldsOf(jsonOf(given ?? {}, 'providerOptions'));
  const options = Object.entries(fields).filter(([, value]) => isFields(value)) as [string, Fields][];
  const all: [string, Fields][] = Object.keys(kept).length === 0 ? options : [...options, [own, kept as Fields]];
  return all.length === 0 ? {} : { providerOptions: Object.fromEntries(all) };
}

/** What a part keeps; fields of the wrong shape count as absent. */
export function keptData({ providerOptions }: { readonly providerOptions?: ProviderOptions | undefined }): AiSdkKept {
  const { part, message, messageOptions, output, filename } = fieldsOf(providerOptions?.[own]);
  return {
    ...(isFields(part) ? { part } : {}),
    ...(isFields(message) ? { message } : {}),
    ...(isFields(messageOptions) ? { messageOptions } : {}),
    ...(isFields(output) ? { output } : {}),
    ...(typeof filename === 'string' ? { filename } : {}),
  };
}

/** The options of a part for providers, without what is ours. */
export function optionsOf({ providerOptions = {} }: { readonly providerOptions?: ProviderOptions | undefined }): {
  providerOptions?: AiSdkOptions;
} {
  const { [own]: _own, varve: _varve, ...options } = providerOptions;
  return Object.keys(options).length === 0 ? {} : { providerOptions: options as AiSdkOptions };
}

/** True for a JSON object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields of an object; none of anything else. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}
