import type { Seq } from '@varve/core';
import { decodeName, encodeName } from '../encoded-name.ts';

/** One message of a session. */
export interface SessionPlace {
  readonly sessionId: string;
  readonly seq: Seq;
}

/** The name by which a search shows a message of another session: `session <id> #12`. */
export function nameOfPlace({ sessionId, seq }: SessionPlace): string {
  return `session ${encodeName(sessionId)} #${seq}`;
}

/** What such a name means; `null` for anything else. */
export function placeOfName(name: string): SessionPlace | null {
  const [, id = '', seq = ''] = /^session (\S+) #(\d{1,15})$/.exec(name.trim()) ?? [];
  const sessionId = decodeName(id);
  return sessionId === null || sessionId === '' ? null : { sessionId, seq: Number(seq) };
}
