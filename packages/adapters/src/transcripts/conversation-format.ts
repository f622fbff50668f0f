import { arrayAt, isObject, type JsonObject } from './json-guards.ts';
import type { TranscriptFormat, TranscriptRecord } from './transcript-record.ts';

/** Where a conversation stands that is one JSON value. */
export interface ConversationPlace {
  /** The line of the file that holds all of it; absent where the file, or an element of its list, does. */
  readonly line?: number | undefined;
}

/** One kind of conversations, each of which is one JSON object. */
export interface ConversationFormat {
  readonly id: TranscriptFormat;
  /** True for an object that holds a conversation of this kind. */
  recognises(conversation: JsonObject): boolean;
  /** Name of the conversation, when it has one that the kind alone knows how to tell. */
  title?(conversation: JsonObject): string | undefined;
  /** What the conversation says, without the record that begins it. Takes only what it recognises. */
  records(conversation: JsonObject, place: ConversationPlace): readonly TranscriptRecord[];
}

/** The list under a key when one of its elements is such an object; else an empty one. */
export function listWith(
  conversation: JsonObject,
  key: string,
  isOne: (value: JsonObject) => boolean,
): ReturnType<typeof arrayAt> {
  const list = arrayAt(conversation, key);
  return list.some((value) => isObject(value) && isOne(value)) ? list : [];
}
