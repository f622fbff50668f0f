import { looksLikeSessionId } from '@varve/core';

const length = 8;

/** The beginning of an id, as every command takes it; a name that is no such id stays whole. */
export function shortId(sessionId: string): string {
  return looksLikeSessionId(sessionId) ? sessionId.slice(0, length) : sessionId;
}
