import { canonicalKey, chatTypeOf, type SessionKey, type SessionRecord, VarveError } from '@varve/core';

/** What the key of a session says of where it takes place. */
export interface KeyFacts {
  /** The key without `agent:<id>:`. */
  readonly stripped: string;
  /** `null` when the key does not say. */
  readonly channel: string | null;
  /** `null` when the key does not say. */
  readonly chatType: SessionRecord['chatType'];
  readonly isThread: boolean;
}

/** Reads what a key says, in our form and in those of other systems. */
export function factsOfKey(text: string): KeyFacts {
  const stripped = text.replace(/^agent:[^:]+:/i, '');
  const key = tryRead(text);
  if (key === null) return { stripped, channel: null, chatType: null, isThread: false };
  const channel = 'channel' in key ? (key.channel ?? null) : null;
  // Everybody may lead to a main conversation: the key does not say whom this is for.
  const chatType = key.kind === 'main' ? null : chatTypeOf(key);
  return { stripped, channel, chatType, isThread: 'thread' in key && key.thread !== undefined };
}

function tryRead(text: string): SessionKey | null {
  try {
    return canonicalKey(text);
  } catch (error) {
    if (VarveError.is(error, 'VARVE_KEY_INVALID')) return null;
    throw error;
  }
}
